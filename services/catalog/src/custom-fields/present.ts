import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { AttachedCustomField, CustomField } from './custom-field.ts';
import type { CustomFieldWire } from './schema.ts';

export const presentCustomField = (field: CustomField): CustomFieldWire =>
  ({
    ...presentRecorded(field),
    metadata: field.metadata,
    type: field.type,
    slug: field.slug,
    name: field.name,
    organization_id: field.organization_id,
    properties: field.properties,
  }) as CustomFieldWire;

export const presentAttached = ({ custom_field, order, required }: AttachedCustomField) => ({
  custom_field_id: custom_field.id,
  custom_field: presentCustomField(custom_field),
  order,
  required,
});

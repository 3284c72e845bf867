import type { Recorded } from '@tributary/runtime/db/columns.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';

export const customFieldTypes = ['text', 'number', 'date', 'checkbox', 'select'] as const;
export type CustomFieldType = (typeof customFieldTypes)[number];

/** A question that a checkout asks; `properties` depend on its type. */
export interface CustomField extends Recorded {
  organization_id: string;
  deleted_at: Date | null;
  metadata: Metadata;
  type: CustomFieldType;
  slug: string;
  name: string;
  properties: Record<string, unknown>;
}

/** A custom field as a product asks it. */
export interface AttachedCustomField {
  custom_field: CustomField;
  order: number;
  required: boolean;
}

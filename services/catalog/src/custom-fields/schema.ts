import { Id, Int32, Metadata, MetadataInput, resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { type CustomFieldType, customFieldTypes } from './custom-field.ts';

const MAX_TEXT = 1_000;
const MAX_OPTIONS = 500;
const words = z.string().min(1).max(MAX_TEXT);
const length = z.int32().min(0);

const formShape = {
  form_label: words.optional(),
  form_help_text: words.optional(),
  form_placeholder: words.optional(),
};
const boundsShape = { ...formShape, ge: Int32.optional(), le: Int32.optional() };

const TextProperties = z
  .object({
    ...formShape,
    textarea: z.boolean().optional(),
    min_length: length.optional(),
    max_length: length.optional(),
  })
  .meta({ id: 'CustomFieldTextProperties' });
const NumberProperties = z.object(boundsShape).meta({ id: 'CustomFieldNumberProperties' });
const DateProperties = z.object(boundsShape).meta({ id: 'CustomFieldDateProperties' });
const CheckboxProperties = z.object(formShape).meta({ id: 'CustomFieldCheckboxProperties' });
const SelectOption = z.object({ value: words, label: words }).meta({ id: 'CustomFieldSelectOption' });
const SelectProperties = z
  .object({ ...formShape, options: z.array(SelectOption).min(1).max(MAX_OPTIONS) })
  .meta({ id: 'CustomFieldSelectProperties' });

const slug = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-z0-9-_]+$/);
const name = z.string().min(1).max(255);

const read = <T extends CustomFieldType, P extends z.ZodType>(type: T, properties: P, id: string) =>
  z
    .object({
      ...resourceShape,
      metadata: Metadata,
      type: z.literal(type),
      slug: z.string(),
      name: z.string(),
      organization_id: Id,
      properties,
    })
    .meta({ id });

const create = <T extends CustomFieldType, P extends z.ZodType>(type: T, properties: P, id: string) =>
  z
    .object({
      metadata: MetadataInput.optional(),
      type: z.literal(type),
      slug,
      name,
      organization_id: Id.nullish(),
      properties,
    })
    .meta({ id });

const update = <T extends CustomFieldType, P extends z.ZodType>(type: T, properties: P, id: string) =>
  z
    .object({
      metadata: MetadataInput.optional(),
      name: name.nullish(),
      slug: slug.nullish(),
      type: z.literal(type),
      properties: properties.nullish(),
    })
    .meta({ id });

export const CustomField = z
  .discriminatedUnion('type', [
    read('text', TextProperties, 'CustomFieldText'),
    read('number', NumberProperties, 'CustomFieldNumber'),
    read('date', DateProperties, 'CustomFieldDate'),
    read('checkbox', CheckboxProperties, 'CustomFieldCheckbox'),
    read('select', SelectProperties, 'CustomFieldSelect'),
  ])
  .meta({ id: 'CustomField' });
export type CustomFieldWire = z.output<typeof CustomField>;

export const CustomFieldCreate = z
  .discriminatedUnion('type', [
    create('text', TextProperties, 'CustomFieldCreateText'),
    create('number', NumberProperties, 'CustomFieldCreateNumber'),
    create('date', DateProperties, 'CustomFieldCreateDate'),
    create('checkbox', CheckboxProperties, 'CustomFieldCreateCheckbox'),
    create('select', SelectProperties, 'CustomFieldCreateSelect'),
  ])
  .meta({ id: 'CustomFieldCreate' });
export type CustomFieldCreate = z.output<typeof CustomFieldCreate>;

export const CustomFieldUpdate = z
  .discriminatedUnion('type', [
    update('text', TextProperties, 'CustomFieldUpdateText'),
    update('number', NumberProperties, 'CustomFieldUpdateNumber'),
    update('date', DateProperties, 'CustomFieldUpdateDate'),
    update('checkbox', CheckboxProperties, 'CustomFieldUpdateCheckbox'),
    update('select', SelectProperties, 'CustomFieldUpdateSelect'),
  ])
  .meta({ id: 'CustomFieldUpdate' });
export type CustomFieldUpdate = z.output<typeof CustomFieldUpdate>;

export const CustomFieldTypeShape = z.enum(customFieldTypes).meta({ id: 'CustomFieldType' });

export const AttachedCustomField = z
  .object({ custom_field_id: Id, custom_field: CustomField, order: z.int(), required: z.boolean() })
  .meta({ id: 'AttachedCustomField' });
export const AttachedCustomFieldCreate = z
  .object({ custom_field_id: Id, required: z.boolean() })
  .meta({ id: 'AttachedCustomFieldCreate' });

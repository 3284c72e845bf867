import { Id, Int32, Metadata, resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

/** Custom fields inside checkouts, as the contract writes them. The catalog owns them and checks them. */

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
const SelectOption = z.object({ value: words, label: words }).meta({ id: 'CustomFieldSelectOption' });

const read = <T extends string, P extends z.ZodType>(type: T, properties: P, id: string) =>
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

const CustomField = z
  .discriminatedUnion('type', [
    read(
      'text',
      z
        .object({
          ...formShape,
          textarea: z.boolean().optional(),
          min_length: length.optional(),
          max_length: length.optional(),
        })
        .meta({ id: 'CustomFieldTextProperties' }),
      'CustomFieldText',
    ),
    read('number', z.object(boundsShape).meta({ id: 'CustomFieldNumberProperties' }), 'CustomFieldNumber'),
    read('date', z.object(boundsShape).meta({ id: 'CustomFieldDateProperties' }), 'CustomFieldDate'),
    read(
      'checkbox',
      z.object(formShape).meta({ id: 'CustomFieldCheckboxProperties' }),
      'CustomFieldCheckbox',
    ),
    read(
      'select',
      z
        .object({ ...formShape, options: z.array(SelectOption).min(1).max(MAX_OPTIONS) })
        .meta({ id: 'CustomFieldSelectProperties' }),
      'CustomFieldSelect',
    ),
  ])
  .meta({ id: 'CustomField' });

export const AttachedCustomField = z
  .object({ custom_field_id: Id, custom_field: CustomField, order: z.int(), required: z.boolean() })
  .meta({ id: 'AttachedCustomField' });

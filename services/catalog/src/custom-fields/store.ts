import { newId } from '@tributary/proto/id.ts';
import { json, nullable, recorded, text, timestamp, uuid } from '@tributary/runtime/db/columns.ts';
import { pageOf, whereContains, whereIn } from '@tributary/runtime/db/list.ts';
import { type Reader, type Tx, violatedConstraint } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { invalid, notFound } from '@tributary/runtime/http/problem.ts';
import { EntitySchema } from 'typeorm';
import type { AttachedCustomField, CustomField, CustomFieldType } from './custom-field.ts';
import type { CustomFieldCreate, CustomFieldUpdate } from './schema.ts';

export const customFields = new EntitySchema<CustomField>({
  name: 'custom_fields',
  columns: {
    ...recorded,
    organization_id: uuid,
    deleted_at: nullable(timestamp),
    metadata: json,
    type: text,
    slug: text,
    name: text,
    properties: json,
  },
});

export const customFieldSortKeys = ['created_at', 'slug', 'name', 'type'] as const;
export type CustomFieldSortKey = (typeof customFieldSortKeys)[number];

export interface CustomFieldQuery extends Paging {
  sorting: SortCriterion<CustomFieldSortKey>[];
  query?: string;
  type?: CustomFieldType[];
}

export function listCustomFields(
  reader: Reader,
  organizationIds: readonly string[],
  query: CustomFieldQuery,
): Promise<Page<CustomField>> {
  const builder = reader
    .getRepository(customFields)
    .createQueryBuilder('field')
    .where('field.deleted_at is null');
  whereIn(builder, 'field.type', query.type);
  whereContains(builder, ['field.name', 'field.slug'], query.query);
  const columns = {
    created_at: 'field.created_at',
    slug: 'field.slug',
    name: 'field.name',
    type: 'field.type',
  };
  return pageOf(builder, query, query.sorting, columns, { organizations: organizationIds });
}

export async function getCustomField(
  reader: Reader,
  organizationIds: readonly string[],
  id: string,
  lock = false,
): Promise<CustomField> {
  const builder = reader
    .getRepository(customFields)
    .createQueryBuilder('field')
    .where('field.id = :id and field.deleted_at is null', { id });
  whereIn(builder, 'field.organization_id', organizationIds);
  if (lock) builder.setLock('pessimistic_write');
  const field = await builder.getOne();
  if (!field) throw notFound('Custom field not found');
  return field;
}

export async function insertCustomField(
  tx: Tx,
  organization_id: string,
  input: CustomFieldCreate,
  now: Date,
): Promise<CustomField> {
  const field: CustomField = {
    id: newId(),
    created_at: now,
    modified_at: null,
    deleted_at: null,
    organization_id,
    metadata: input.metadata ?? {},
    type: input.type,
    slug: input.slug,
    name: input.name,
    properties: input.properties,
  };
  await refusingTakenSlug(input.slug, () => tx.getRepository(customFields).insert(field as never));
  return field;
}

export async function updateCustomField(
  tx: Tx,
  field: CustomField,
  input: CustomFieldUpdate,
  now: Date,
): Promise<CustomField> {
  const changed: CustomField = {
    ...field,
    modified_at: now,
    metadata: input.metadata ?? field.metadata,
    name: input.name ?? field.name,
    slug: input.slug ?? field.slug,
    properties: input.properties ?? field.properties,
  };
  await refusingTakenSlug(changed.slug, () => tx.getRepository(customFields).save(changed));
  return changed;
}

export const deleteCustomField = (tx: Tx, field: CustomField, now: Date) =>
  tx.getRepository(customFields).update(field.id, { deleted_at: now });

async function refusingTakenSlug(slug: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (violatedConstraint(error) !== 'custom_fields_slug') throw error;
    throw invalid(['body', 'slug'], 'Custom field with this slug already exists.', 'value_error', slug);
  }
}

/** The live fields among `ids` that belong to the organization. */
export function findCustomFields(
  reader: Reader,
  organizationId: string,
  ids: readonly string[],
): Promise<CustomField[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return reader
    .getRepository(customFields)
    .createQueryBuilder('field')
    .where('field.id = any(:ids) and field.organization_id = :organizationId and field.deleted_at is null', {
      ids,
      organizationId,
    })
    .getMany();
}

/** The fields each product asks, in order. */
export async function attachedFieldsOf(
  reader: Reader,
  productIds: readonly string[],
): Promise<Map<string, AttachedCustomField[]>> {
  const rows: { product_id: string; order: number; required: boolean; custom_field_id: string }[] =
    await reader.query(
      `select product_id, position as "order", required, custom_field_id from product_custom_fields
       where product_id = any($1) order by product_id, position`,
      [productIds],
    );
  if (rows.length === 0) return new Map();
  const fields = await reader
    .getRepository(customFields)
    .createQueryBuilder('field')
    .where('field.id = any(:ids) and field.deleted_at is null', {
      ids: [...new Set(rows.map((row) => row.custom_field_id))],
    })
    .getMany();
  const byId = new Map(fields.map((field) => [field.id, field]));
  const attached = rows.flatMap(({ product_id, order, required, custom_field_id }) => {
    const custom_field = byId.get(custom_field_id);
    return custom_field ? [{ product_id, attached: { custom_field, order, required } }] : [];
  });
  return new Map(
    [...Map.groupBy(attached, (row) => row.product_id)].map(([id, group]) => [
      id,
      group.map((row) => row.attached),
    ]),
  );
}

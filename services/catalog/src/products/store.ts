import {
  bigint,
  boolean,
  integer,
  json,
  nullable,
  recorded,
  text,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { pageOf, whereContains, whereIn, whereMetadata } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import type { MetadataFilter } from '@tributary/runtime/http/wire.ts';
import { EntitySchema } from 'typeorm';
import type { Product, Visibility } from './product.ts';

export const products = new EntitySchema<Product>({
  name: 'products',
  columns: {
    ...recorded,
    organization_id: uuid,
    name: text,
    description: nullable(text),
    visibility: text,
    recurring_interval: nullable(text),
    recurring_interval_count: nullable(integer),
    trial_interval: nullable(text),
    trial_interval_count: nullable(integer),
    meter_interval: nullable(text),
    meter_interval_count: nullable(integer),
    is_archived: boolean,
    metadata: json,
    first_amount_type: text,
    first_amount: nullable(bigint),
  },
});

export const productSortKeys = ['created_at', 'name', 'price_amount_type', 'price_amount'] as const;

export interface ProductQuery extends Paging {
  sorting: SortCriterion<(typeof productSortKeys)[number]>[];
  id?: string[];
  query?: string;
  is_archived?: boolean;
  is_recurring?: boolean;
  benefit_id?: string[];
  visibility?: Visibility[];
  metadata?: MetadataFilter;
}

export function listProducts(
  reader: Reader,
  organizationIds: readonly string[],
  query: ProductQuery,
): Promise<Page<Product>> {
  const builder = reader.getRepository(products).createQueryBuilder('product');
  whereIn(builder, 'product.id', query.id);
  whereIn(builder, 'product.visibility', query.visibility);
  whereContains(builder, ['product.name'], query.query);
  whereMetadata(builder, 'product.metadata', query.metadata);
  if (query.is_archived !== undefined) {
    builder.andWhere('product.is_archived = :isArchived', { isArchived: query.is_archived });
  }
  if (query.is_recurring !== undefined) {
    builder.andWhere(`product.recurring_interval is ${query.is_recurring ? 'not null' : 'null'}`);
  }
  if (query.benefit_id) {
    builder.andWhere(
      `exists (select 1 from product_benefits link join benefits benefit on benefit.id = link.benefit_id
               where link.product_id = product.id and link.benefit_id = any(:benefitIds)
                 and benefit.deleted_at is null)`,
      { benefitIds: query.benefit_id },
    );
  }
  const columns = {
    created_at: 'product.created_at',
    name: 'product.name',
    price_amount_type: 'product.first_amount_type',
    price_amount: 'product.first_amount',
  };
  return pageOf(builder, query, query.sorting, columns, { organizations: organizationIds });
}

export async function getProduct(
  reader: Reader,
  organizationIds: readonly string[],
  id: string,
  lock = false,
): Promise<Product> {
  const builder = reader
    .getRepository(products)
    .createQueryBuilder('product')
    .where('product.id = :id', { id });
  whereIn(builder, 'product.organization_id', organizationIds);
  if (lock) builder.setLock('pessimistic_write');
  const product = await builder.getOne();
  if (!product) throw notFound('Product not found');
  return product;
}

/** Products by id, whatever their organization. */
export function productsById(reader: Reader, ids: readonly string[], lock = false): Promise<Product[]> {
  if (ids.length === 0) return Promise.resolve([]);
  const builder = reader
    .getRepository(products)
    .createQueryBuilder('product')
    .where('product.id = any(:ids)', { ids })
    .orderBy('product.id');
  if (lock) builder.setLock('pessimistic_write');
  return builder.getMany();
}

const MAX_PUBLIC = 500;

/** What an organization offers to everybody, oldest first; at most 500. */
export const publicProductsOf = (reader: Reader, organizationId: string): Promise<Product[]> =>
  reader
    .getRepository(products)
    .createQueryBuilder('product')
    .where("product.organization_id = :organizationId and product.visibility = 'public'", { organizationId })
    .andWhere('not product.is_archived')
    .orderBy('product.created_at')
    .addOrderBy('product.id')
    .limit(MAX_PUBLIC)
    .getMany();

const EMBEDDED = {
  benefit: 'select product_id from product_benefits where benefit_id',
  'custom-field': 'select product_id from product_custom_fields where custom_field_id',
  file: 'select product_id from product_medias where file_id',
  meter: 'select product_id from prices where meter_id',
} as const;

/** Products that embed a record, locked, in order of id and after `afterId`. */
export async function lockProductsWith(
  tx: Tx,
  what: keyof typeof EMBEDDED,
  id: string,
  afterId: string | null,
  limit: number,
): Promise<Product[]> {
  const rows: { product_id: string }[] = await tx.query(
    `select distinct product_id from (${EMBEDDED[what]} = $1) as link
     where ($2::uuid is null or product_id > $2) order by product_id limit $3`,
    [id, afterId, limit],
  );
  return productsById(
    tx,
    rows.map((row) => row.product_id),
    true,
  );
}

export const insertProduct = (tx: Tx, product: Product) =>
  tx.getRepository(products).insert(product as never);

export const updateProduct = (tx: Tx, { id, ...columns }: Product) =>
  tx.getRepository(products).update(id, columns as never);

/** Rewrites an ordered list of a product. */
async function replaceLinks(
  tx: Tx,
  table: 'product_benefits' | 'product_medias',
  column: 'benefit_id' | 'file_id',
  productId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.query(`delete from ${table} where product_id = $1`, [productId]);
  await tx.query(
    `insert into ${table} (product_id, ${column}, position)
     select $1, id, position - 1 from unnest($2::uuid[]) with ordinality as link(id, position)`,
    [productId, ids],
  );
}

export const replaceBenefits = (tx: Tx, productId: string, ids: readonly string[]) =>
  replaceLinks(tx, 'product_benefits', 'benefit_id', productId, ids);

export const replaceMedias = (tx: Tx, productId: string, ids: readonly string[]) =>
  replaceLinks(tx, 'product_medias', 'file_id', productId, ids);

export async function replaceCustomFields(
  tx: Tx,
  productId: string,
  fields: readonly { custom_field_id: string; required: boolean }[],
): Promise<void> {
  await tx.query('delete from product_custom_fields where product_id = $1', [productId]);
  await tx.query(
    `insert into product_custom_fields (product_id, custom_field_id, position, required)
     select $1, field.id, place - 1, field.required
     from rows from (
       jsonb_to_recordset($2::jsonb) as (id uuid, required boolean)
     ) with ordinality as field(id, required, place)`,
    [
      productId,
      JSON.stringify(fields.map(({ custom_field_id, required }) => ({ id: custom_field_id, required }))),
    ],
  );
}

import { boolean, json, nullable, recorded, text, timestamp, uuid } from '@tributary/runtime/db/columns.ts';
import { pageOf, whereContains, whereIn, whereMetadata } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import type { MetadataFilter } from '@tributary/runtime/http/wire.ts';
import { EntitySchema } from 'typeorm';
import type { Benefit, BenefitOf, BenefitType } from './benefit.ts';

export const benefits = new EntitySchema<Benefit>({
  name: 'benefits',
  columns: {
    ...recorded,
    organization_id: uuid,
    deleted_at: nullable(timestamp),
    type: text,
    description: text,
    selectable: boolean,
    deletable: boolean,
    visibility: text,
    metadata: json,
    properties: json,
  },
});

export const benefitSortKeys = ['created_at', 'description', 'type', 'user_order'] as const;

export interface BenefitQuery extends Paging {
  sorting: SortCriterion<(typeof benefitSortKeys)[number]>[];
  type?: BenefitType[];
  id?: string[];
  exclude_id?: string[];
  query?: string;
  metadata?: MetadataFilter;
}

export function listBenefits(
  reader: Reader,
  organizationIds: readonly string[],
  query: BenefitQuery,
): Promise<Page<Benefit>> {
  const builder = reader
    .getRepository(benefits)
    .createQueryBuilder('benefit')
    .where('benefit.deleted_at is null');
  whereIn(builder, 'benefit.type', query.type);
  whereIn(builder, 'benefit.id', query.id);
  if (query.exclude_id) builder.andWhere('benefit.id <> all(:excluded)', { excluded: query.exclude_id });
  whereContains(builder, ['benefit.description'], query.query);
  whereMetadata(builder, 'benefit.metadata', query.metadata);
  const columns = {
    created_at: 'benefit.created_at',
    description: 'benefit.description',
    type: 'benefit.type',
    // nobody has moved a benefit by hand, so the user's order is the order of making
    user_order: 'benefit.created_at',
  };
  return pageOf(builder, query, query.sorting, columns, { organizations: organizationIds });
}

export async function getBenefit(
  reader: Reader,
  organizationIds: readonly string[],
  id: string,
  lock = false,
): Promise<Benefit> {
  const builder = reader
    .getRepository(benefits)
    .createQueryBuilder('benefit')
    .where('benefit.id = :id and benefit.deleted_at is null', { id });
  whereIn(builder, 'benefit.organization_id', organizationIds);
  if (lock) builder.setLock('pessimistic_write');
  const benefit = await builder.getOne();
  if (!benefit) throw notFound('Benefit not found');
  return benefit;
}

/** Benefits by id, deleted ones too: a grant keeps showing what it once gave. */
export async function benefitsById(reader: Reader, ids: Iterable<string>): Promise<Map<string, Benefit>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await reader
    .getRepository(benefits)
    .createQueryBuilder('benefit')
    .where('benefit.id = any(:ids)', { ids: unique })
    .getMany();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The live benefits of each product, in the merchant's order. */
export async function benefitsOfProducts(
  reader: Reader,
  productIds: readonly string[],
): Promise<Map<string, Benefit[]>> {
  const links: { product_id: string; benefit_id: string }[] = await reader.query(
    'select product_id, benefit_id from product_benefits where product_id = any($1) order by product_id, position',
    [productIds],
  );
  const byId = await benefitsById(
    reader,
    links.map((link) => link.benefit_id),
  );
  const groups = Map.groupBy(links, (link) => link.product_id);
  return new Map(
    [...groups].map(([id, group]) => [
      id,
      group.map((link) => byId.get(link.benefit_id)!).filter((benefit) => benefit.deleted_at === null),
    ]),
  );
}

/**
 * What a product grants now, held until the transaction ends: a change of the product's benefits, or of one of them,
 * waits for it, and its sweep then finds what this transaction granted.
 */
export async function holdBenefitsOf(tx: Tx, productId: string): Promise<Benefit[]> {
  await tx.query('select 1 from products where id = $1 for share', [productId]);
  return tx
    .getRepository(benefits)
    .createQueryBuilder('benefit')
    .where('benefit.id in (select benefit_id from product_benefits where product_id = :productId)', {
      productId,
    })
    .andWhere('benefit.deleted_at is null')
    .orderBy('benefit.id')
    .setLock('pessimistic_read')
    .getMany();
}

/** The benefits that offer a file, locked. */
export function lockBenefitsWithFile(
  tx: Tx,
  organizationId: string,
  fileId: string,
): Promise<BenefitOf<'downloadables'>[]> {
  const builder = tx
    .getRepository(benefits)
    .createQueryBuilder('benefit')
    .where("benefit.type = 'downloadables' and benefit.organization_id = :organizationId", { organizationId })
    .andWhere(
      "benefit.deleted_at is null and benefit.properties -> 'files' @> to_jsonb(cast(:fileId as text))",
      {
        fileId,
      },
    )
    .orderBy('benefit.id')
    .setLock('pessimistic_write');
  return builder.getMany() as Promise<BenefitOf<'downloadables'>[]>;
}

export const insertBenefit = (tx: Tx, benefit: Benefit) =>
  tx.getRepository(benefits).insert(benefit as never);

export const updateBenefit = (tx: Tx, { id, ...columns }: Benefit) =>
  tx.getRepository(benefits).update(id, columns as never);

/** Files of a benefit by page, in the benefit's order, with their ids only. */
export const filePage = (benefit: Benefit, { page, limit }: Paging): { ids: string[]; total: number } => {
  const ids = benefit.type === 'downloadables' ? benefit.properties.files : [];
  return { ids: ids.slice((page - 1) * limit, page * limit), total: ids.length };
};

import { json, nullable, recorded, timestamp, uuid } from '@tributary/runtime/db/columns.ts';
import { pageOf, whereIn } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { EntitySchema } from 'typeorm';
import type { Grant, Holder } from './grant.ts';

export const grants = new EntitySchema<Grant>({
  name: 'benefit_grants',
  columns: {
    ...recorded,
    organization_id: uuid,
    entitlement_id: uuid,
    subscription_id: nullable(uuid),
    order_id: nullable(uuid),
    customer_id: uuid,
    member_id: nullable(uuid),
    benefit_id: uuid,
    granted_at: nullable(timestamp),
    revoked_at: nullable(timestamp),
    withdrawn_at: nullable(timestamp),
    properties: json,
    error: nullable(json),
  },
});

export const grantSortKeys = ['created_at', 'granted_at', 'revoked_at'] as const;
type Sorting = SortCriterion<(typeof grantSortKeys)[number]>[];
const NEWEST_FIRST: Sorting = [{ by: 'created_at', direction: 'DESC' }];
const SORT_COLUMNS = {
  created_at: 'benefit_grant.created_at',
  granted_at: 'benefit_grant.granted_at',
  revoked_at: 'benefit_grant.revoked_at',
};

export interface GrantQuery extends Paging {
  sorting?: Sorting;
  benefit_id?: string[];
  customer_id?: string[];
  member_id?: string[];
  external_customer_id?: string[];
  is_granted?: boolean;
}

export function listGrants(
  reader: Reader,
  organizationIds: readonly string[],
  query: GrantQuery,
): Promise<Page<Grant>> {
  const builder = reader.getRepository(grants).createQueryBuilder('benefit_grant');
  whereIn(builder, 'benefit_grant.benefit_id', query.benefit_id);
  whereIn(builder, 'benefit_grant.customer_id', query.customer_id);
  whereIn(builder, 'benefit_grant.member_id', query.member_id);
  if (query.external_customer_id) {
    builder.andWhere(
      `benefit_grant.customer_id in (select id from customers_replica where value ->> 'external_id' = any(:externalIds))`,
      { externalIds: query.external_customer_id },
    );
  }
  if (query.is_granted !== undefined) {
    builder.andWhere(`benefit_grant.${query.is_granted ? 'granted_at' : 'revoked_at'} is not null`);
  }
  return pageOf(builder, query, query.sorting ?? NEWEST_FIRST, SORT_COLUMNS, {
    organizations: organizationIds,
  });
}

/** The grants of some holders from one subscription or order, locked. */
export async function lockGrants(
  tx: Tx,
  entitlementId: string,
  holders: readonly Holder[],
): Promise<Grant[]> {
  return tx
    .getRepository(grants)
    .createQueryBuilder('benefit_grant')
    .where('benefit_grant.entitlement_id = :entitlementId', { entitlementId })
    .andWhere(
      `exists (select 1 from unnest(cast(:customerIds as uuid[]), cast(:memberIds as uuid[])) as holder(customer_id, member_id)
               where holder.customer_id = benefit_grant.customer_id
                 and holder.member_id is not distinct from benefit_grant.member_id)`,
      {
        customerIds: holders.map((holder) => holder.customer_id),
        memberIds: holders.map((holder) => holder.member_id),
      },
    )
    .orderBy('benefit_grant.id')
    .setLock('pessimistic_write')
    .getMany();
}

/** Granted grants by one of their references, in order of id and after `afterId`, locked. */
export const lockGranted = (
  tx: Tx,
  column: 'entitlement_id' | 'benefit_id',
  id: string,
  afterId: string | null,
  limit: number,
): Promise<Grant[]> =>
  pageForChange(
    tx,
    `benefit_grant.${column} = :id and benefit_grant.granted_at is not null`,
    id,
    afterId,
    limit,
  );

/** All grants of a customer, revoked ones too, in order of id and after `afterId`, locked. */
export const lockGrantsOf = (
  tx: Tx,
  customerId: string,
  afterId: string | null,
  limit: number,
): Promise<Grant[]> => pageForChange(tx, 'benefit_grant.customer_id = :id', customerId, afterId, limit);

function pageForChange(
  tx: Tx,
  condition: string,
  id: string,
  afterId: string | null,
  limit: number,
): Promise<Grant[]> {
  const builder = tx
    .getRepository(grants)
    .createQueryBuilder('benefit_grant')
    .where(condition, { id })
    .orderBy('benefit_grant.id')
    .limit(limit)
    .setLock('pessimistic_write');
  if (afterId) builder.andWhere('benefit_grant.id > :afterId', { afterId });
  return builder.getMany();
}

export async function lockGrant(tx: Tx, id: string): Promise<Grant> {
  const grant = await tx
    .getRepository(grants)
    .findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!grant) throw new Error(`grant ${id} is missing`);
  return grant;
}

export const grantsById = (reader: Reader, ids: readonly string[]): Promise<Grant[]> =>
  reader
    .getRepository(grants)
    .createQueryBuilder('benefit_grant')
    .where('benefit_grant.id = any(:ids)', { ids })
    .getMany();

export const insertGrant = (tx: Tx, grant: Grant) => tx.getRepository(grants).insert(grant as never);

export const updateGrant = (tx: Tx, { id, ...columns }: Grant) =>
  tx.getRepository(grants).update(id, columns as never);

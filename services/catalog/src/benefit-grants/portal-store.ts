import { pageOf, whereContains, whereIn } from '@tributary/runtime/db/list.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import type { SelectQueryBuilder } from 'typeorm';
import type { BenefitType } from '../benefits/benefit.ts';
import type { PortalHolder } from '../scope.ts';
import type { Grant } from './grant.ts';
import { grants } from './store.ts';

export const portalGrantSortKeys = ['granted_at', 'type', 'organization', 'product_benefit'] as const;

export interface PortalGrantQuery extends Paging {
  sorting: SortCriterion<(typeof portalGrantSortKeys)[number]>[];
  query?: string;
  type?: BenefitType[];
  benefit_id?: string[];
  checkout_id?: string[];
  order_id?: string[];
  subscription_id?: string[];
  member_id?: string[];
}

/** What a holder has and may know of: not revoked, of a benefit that is public. */
function grantsOf(reader: Reader, { holder, ofCustomerToo }: PortalHolder) {
  const builder = reader
    .getRepository(grants)
    .createQueryBuilder('benefit_grant')
    .innerJoin('benefits', 'benefit', 'benefit.id = benefit_grant.benefit_id')
    .where('benefit_grant.customer_id = :customer_id', { customer_id: holder.customer_id })
    .andWhere('benefit_grant.revoked_at is null')
    .andWhere("benefit.visibility = 'public' and benefit.deleted_at is null");
  if (holder.member_id !== null) {
    builder.andWhere(
      `(benefit_grant.member_id = :holder_id${ofCustomerToo ? ' or benefit_grant.member_id is null' : ''})`,
      { holder_id: holder.member_id },
    );
  }
  return builder;
}

export function listPortalGrants(
  reader: Reader,
  holder: PortalHolder,
  query: PortalGrantQuery,
): Promise<Page<Grant>> {
  const builder = grantsOf(reader, holder);
  whereIn(builder, 'benefit.type', query.type);
  whereIn(builder, 'benefit_grant.benefit_id', query.benefit_id);
  if (query.checkout_id) {
    builder.andWhere(
      `benefit_grant.entitlement_id in (select bought.id from entitlements bought where bought.checkout_id = any(:checkouts))`,
      { checkouts: query.checkout_id },
    );
  }
  whereIn(builder, 'benefit_grant.order_id', query.order_id);
  whereIn(builder, 'benefit_grant.subscription_id', query.subscription_id);
  whereIn(builder, 'benefit_grant.member_id', query.member_id);
  whereContains(builder, ['benefit.description'], query.query);
  const columns = {
    granted_at: 'benefit_grant.granted_at',
    type: 'benefit.type',
    organization: 'benefit_grant.organization_id',
    product_benefit: 'place.position',
  };
  const isByPlace = query.sorting.some(({ by }) => by === 'product_benefit');
  return pageOf(builder, query, query.sorting, columns, { join: isByPlace ? joinPlace : undefined });
}

/** The place of each grant's benefit among those of the product that gave it. */
const joinPlace = (ordered: SelectQueryBuilder<Grant>) =>
  ordered
    .innerJoin('entitlements', 'entitlement', 'entitlement.id = benefit_grant.entitlement_id')
    .leftJoin(
      'product_benefits',
      'place',
      'place.product_id = entitlement.product_id and place.benefit_id = benefit_grant.benefit_id',
    );

export async function getPortalGrant(reader: Reader, holder: PortalHolder, id: string): Promise<Grant> {
  const grant = await grantsOf(reader, holder).andWhere('benefit_grant.id = :id', { id }).getOne();
  if (!grant) throw notFound('Benefit grant not found');
  return grant;
}

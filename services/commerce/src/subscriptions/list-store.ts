import { escapeLike, pageOf, whereIn, whereMetadata } from '@tributary/runtime/db/list.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import type { MetadataFilter } from '@tributary/runtime/http/wire.ts';
import type { SelectQueryBuilder } from 'typeorm';
import { subscriptions } from './store.ts';
import { type Subscription, subscriptionStatuses } from './subscription.ts';

const select = (reader: Reader) => reader.getRepository(subscriptions).createQueryBuilder('subscription');

export const subscriptionSortKeys = [
  'customer',
  'status',
  'started_at',
  'current_period_end',
  'ended_at',
  'ends_at',
  'amount',
  'product',
  'discount',
] as const;
export type SubscriptionSortKey = (typeof subscriptionSortKeys)[number];

export interface SubscriptionQuery extends Paging {
  sorting: SortCriterion<SubscriptionSortKey>[];
  product_id?: string[];
  customer_id?: string[];
  external_customer_id?: string[];
  discount_id?: string[];
  active?: boolean;
  status?: string[];
  cancel_at_period_end?: boolean;
  customer_cancellation_reason?: string[];
  canceled_at_after?: Date;
  canceled_at_before?: Date;
  started_after?: Date;
  started_before?: Date;
  metadata?: MetadataFilter;
}

export function listSubscriptions(
  reader: Reader,
  organizationIds: readonly string[],
  query: SubscriptionQuery,
): Promise<Page<Subscription>> {
  const builder = select(reader);
  whereIn(builder, 'subscription.product_id', query.product_id);
  whereIn(builder, 'subscription.customer_id', query.customer_id);
  whereIn(builder, 'subscription.discount_id', query.discount_id);
  whereIn(builder, 'subscription.status', query.status);
  whereIn(builder, 'subscription.customer_cancellation_reason', query.customer_cancellation_reason);
  whereActive(builder, query.active);
  whereMetadata(builder, 'subscription.metadata', query.metadata);
  const { cancel_at_period_end, canceled_at_after, canceled_at_before, started_after, started_before } =
    query;
  if (cancel_at_period_end !== undefined)
    builder.andWhere('subscription.cancel_at_period_end = :cancel_at_period_end', { cancel_at_period_end });
  if (canceled_at_after)
    builder.andWhere('subscription.canceled_at >= :canceled_at_after', { canceled_at_after });
  if (canceled_at_before)
    builder.andWhere('subscription.canceled_at <= :canceled_at_before', { canceled_at_before });
  if (started_after) builder.andWhere('subscription.started_at > :started_after', { started_after });
  if (started_before) builder.andWhere('subscription.started_at < :started_before', { started_before });
  if (query.external_customer_id) {
    builder.andWhere(
      `subscription.customer_id in (select customer.id from customers customer
         where customer.deleted_at is null and customer.organization_id = any(:organizationIds)
           and customer.external_id = any(:externalIds))`,
      { organizationIds, externalIds: query.external_customer_id },
    );
  }
  const columns = {
    customer: 'customer.email',
    status: 'subscription.status',
    started_at: 'subscription.started_at',
    current_period_end: 'subscription.current_period_end',
    ended_at: 'subscription.ended_at',
    ends_at: 'subscription.ends_at',
    amount: 'subscription.amount',
    product: `product.value ->> 'name'`,
    discount: 'subscription.discount_id',
  };
  return page(builder, query, columns, organizationIds);
}

export const portalSubscriptionSortKeys = [
  'started_at',
  'amount',
  'status',
  'organization',
  'product',
] as const;
export type PortalSubscriptionSortKey = (typeof portalSubscriptionSortKeys)[number];

export interface PortalSubscriptionQuery extends Paging {
  sorting: SortCriterion<PortalSubscriptionSortKey>[];
  product_id?: string[];
  active?: boolean;
  query?: string;
}

/** What a customer has subscribed to. All of it is one organization's, so sorting by organization keeps the order. */
export function listPortalSubscriptions(
  reader: Reader,
  customerId: string,
  query: PortalSubscriptionQuery,
): Promise<Page<Subscription>> {
  const builder = select(reader).where('subscription.customer_id = :customerId', { customerId });
  whereIn(builder, 'subscription.product_id', query.product_id);
  whereActive(builder, query.active);
  if (query.query !== undefined) {
    builder.andWhere(
      `exists (select 1 from products_replica named
         where named.id = subscription.product_id and named.value ->> 'name' ilike :contained)`,
      { contained: `%${escapeLike(query.query)}%` },
    );
  }
  return page(builder, query, {
    started_at: 'subscription.started_at',
    amount: 'subscription.amount',
    status: 'subscription.status',
    organization: 'subscription.organization_id',
    product: `product.value ->> 'name'`,
  });
}

/** Whose claimed seats are meant: everybody's at a customer, or one member's. */
export interface Claimant {
  customer_id: string;
  member_id: string | null;
}

/** The subscriptions on which somebody has claimed a seat, the newest first. */
export function listClaimedSubscriptions(
  reader: Reader,
  claimant: Claimant,
  paging: Paging,
): Promise<Page<Subscription>> {
  const builder = select(reader).where(
    `subscription.id in (select seat.subscription_id from customer_seats seat
       where seat.status = 'claimed' and seat.customer_id = :customer_id
         and (:member_id::uuid is null or seat.member_id = :member_id))`,
    claimant,
  );
  const newestFirst = [{ by: 'started_at' as const, direction: 'DESC' as const }];
  return pageOf(builder, paging, newestFirst, { started_at: 'subscription.started_at' });
}

const ACTIVE: readonly string[] = ['trialing', 'active'];

function whereActive(builder: SelectQueryBuilder<Subscription>, isActive: boolean | undefined): void {
  if (isActive === undefined) return;
  const wanted = subscriptionStatuses.filter((status) => ACTIVE.includes(status) === isActive);
  builder.andWhere('subscription.status = any(:wanted)', { wanted });
}

/** Every subscription has both, in its own organization: said so that an index can lead through them in order. */
const CUSTOMER_OF =
  'customer.id = subscription.customer_id and customer.organization_id = subscription.organization_id';
const PRODUCT_OF =
  'product.id = subscription.product_id and product.organization_id = subscription.organization_id';

/** Joins a sort key's table only where the sorting asks for it. */
function page<K extends string>(
  builder: SelectQueryBuilder<Subscription>,
  query: Paging & { sorting: readonly SortCriterion<K>[] },
  columns: Record<K, string>,
  organizations?: readonly string[],
): Promise<Page<Subscription>> {
  const isSortedBy = (key: string) => query.sorting.some(({ by }) => by === key);
  return pageOf(builder, query, query.sorting, columns, {
    organizations,
    join(ordered) {
      if (isSortedBy('customer')) ordered.innerJoin('customers', 'customer', CUSTOMER_OF);
      if (isSortedBy('product')) ordered.innerJoin('products_replica', 'product', PRODUCT_OF);
    },
  });
}

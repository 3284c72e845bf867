import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import {
  bigint,
  boolean,
  integer,
  json,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { whereIn } from '@tributary/runtime/db/list.ts';
import type { Database, Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { EntitySchema } from 'typeorm';
import type { Subscription, SubscriptionMeter } from './subscription.ts';

export const subscriptions = new EntitySchema<Subscription>({
  name: 'subscriptions',
  columns: {
    ...recorded,
    organization_id: uuid,
    customer_id: uuid,
    product_id: uuid,
    discount_id: nullable(uuid),
    checkout_id: nullable(uuid),
    status: text,
    amount: bigint,
    currency: text,
    recurring_interval: text,
    recurring_interval_count: integer,
    anchor_day: integer,
    current_period_start: timestamp,
    current_period_end: timestamp,
    current_meter_period_start: nullable(timestamp),
    current_meter_period_end: nullable(timestamp),
    trial_start: nullable(timestamp),
    trial_end: nullable(timestamp),
    cancel_at_period_end: boolean,
    canceled_at: nullable(timestamp),
    started_at: nullable(timestamp),
    ends_at: nullable(timestamp),
    ended_at: nullable(timestamp),
    past_due_at: nullable(timestamp),
    pause_at_period_end: boolean,
    paused_at: nullable(timestamp),
    resumes_at: nullable(timestamp),
    seats: nullable(integer),
    customer_cancellation_reason: nullable(text),
    customer_cancellation_comment: nullable(text),
    metadata: json,
    custom_field_data: json,
    prices: json,
    pending_update: nullable(json),
  },
});

export const subscriptionMeters = new EntitySchema<SubscriptionMeter>({
  name: 'subscription_meters',
  columns: { ...recorded, subscription_id: uuid, meter_id: uuid },
});

/** Statuses in which a subscription goes on being billed. */
const BILLABLE = ['trialing', 'active', 'past_due'];

/** Whether the customer already pays for something here, besides the subscription named. */
export async function hasBillableSubscription(
  reader: Reader,
  customerId: string,
  exceptId: string | null,
): Promise<boolean> {
  return reader
    .getRepository(subscriptions)
    .createQueryBuilder('subscription')
    .where('subscription.customer_id = :customerId and subscription.status = any(:statuses)', {
      customerId,
      statuses: BILLABLE,
    })
    .andWhere('(:exceptId::uuid is null or subscription.id <> :exceptId)', { exceptId })
    .getExists();
}

/** A customer's subscriptions that are not over, with their rows locked. */
export const lockLiveSubscriptions = (tx: Tx, customerId: string): Promise<Subscription[]> =>
  tx
    .getRepository(subscriptions)
    .createQueryBuilder('subscription')
    .where('subscription.customer_id = :customerId and subscription.status = any(:statuses)', {
      customerId,
      statuses: [...BILLABLE, 'paused'],
    })
    .orderBy('subscription.id')
    .setLock('pessimistic_write')
    .getMany();

/** A customer's subscriptions that are not over. */
export const readLiveSubscriptions = (reader: Reader, customerId: string): Promise<Subscription[]> =>
  select(reader)
    .where('subscription.customer_id = :customerId and subscription.status = any(:statuses)', {
      customerId,
      statuses: [...BILLABLE, 'paused'],
    })
    .getMany();

/** At most `batch` of a customer's subscriptions in order of id, whatever their status. */
export function subscriptionsAfter(
  reader: Reader,
  customerId: string,
  afterId: string | undefined,
  batch: number,
): Promise<Subscription[]> {
  const builder = select(reader).where('subscription.customer_id = :customerId', { customerId });
  if (afterId) builder.andWhere('subscription.id > :afterId', { afterId });
  return builder.orderBy('subscription.id').limit(batch).getMany();
}

/** The organization's subscription with its row locked, or null. */
export const lockSubscription = (tx: Tx, organizationId: string, id: string): Promise<Subscription | null> =>
  tx
    .getRepository(subscriptions)
    .createQueryBuilder('subscription')
    .where('subscription.id = :id and subscription.organization_id = :organizationId', { id, organizationId })
    .setLock('pessimistic_write')
    .getOne();

export const findSubscription = (
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<Subscription | null> =>
  reader
    .getRepository(subscriptions)
    .createQueryBuilder('subscription')
    .where('subscription.id = :id and subscription.organization_id = :organizationId', { id, organizationId })
    .getOne();

export async function subscriptionsById(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, Subscription>> {
  if (ids.length === 0) return new Map();
  const found = await reader
    .getRepository(subscriptions)
    .createQueryBuilder('subscription')
    .where('subscription.id = any(:ids)', { ids: [...new Set(ids)] })
    .getMany();
  return new Map(found.map((subscription) => [subscription.id, subscription]));
}

/** A customer's subscriptions that give access now. */
export const activeSubscriptionsOf = (reader: Reader, customerId: string): Promise<Subscription[]> =>
  reader
    .getRepository(subscriptions)
    .createQueryBuilder('subscription')
    .where(`subscription.customer_id = :customerId and subscription.status in ('active', 'trialing')`, {
      customerId,
    })
    .orderBy('subscription.started_at', 'DESC')
    .addOrderBy('subscription.id')
    .getMany();

/** The meters of each subscription. */
export async function metersOfSubscriptions(
  reader: Reader,
  ids: readonly string[],
): Promise<Map<string, SubscriptionMeter[]>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .getRepository(subscriptionMeters)
    .createQueryBuilder('meter')
    .where('meter.subscription_id = any(:ids)', { ids: [...new Set(ids)] })
    .orderBy('meter.id')
    .getMany();
  return Map.groupBy(rows, (row) => row.subscription_id);
}

export async function insertSubscription(
  tx: Tx,
  subscription: Subscription,
  meters: readonly SubscriptionMeter[],
  messages: OutgoingMessage[],
): Promise<void> {
  await tx.getRepository(subscriptions).insert(subscription as never);
  if (meters.length > 0) await tx.getRepository(subscriptionMeters).insert(meters as never);
  await emit(tx, messages);
}

/** The meters of another product take the place of the old ones. */
export async function replaceSubscriptionMeters(
  tx: Tx,
  subscriptionId: string,
  meters: readonly SubscriptionMeter[],
): Promise<void> {
  await tx.getRepository(subscriptionMeters).delete({ subscription_id: subscriptionId });
  if (meters.length > 0) await tx.getRepository(subscriptionMeters).insert(meters as never);
}

/** Writes a subscription whose row is locked. */
export async function saveSubscription(
  tx: Tx,
  subscription: Subscription,
  messages: OutgoingMessage[],
): Promise<void> {
  const { id, ...columns } = subscription;
  await tx.getRepository(subscriptions).update(id, columns as never);
  await emit(tx, messages);
}

const select = (reader: Reader) => reader.getRepository(subscriptions).createQueryBuilder('subscription');

/** Whose subscriptions somebody may reach: the merchant's organizations', or a customer's own. */
export type SubscriptionScope = { organizationIds: readonly string[] } | { customerId: string };

/** The subscription, or a 404 where it lies outside the scope. @param lock keeps its row until the transaction ends */
export async function getSubscription(
  reader: Reader,
  scope: SubscriptionScope,
  id: string,
  lock = false,
): Promise<Subscription> {
  const builder = select(reader).where('subscription.id = :id', { id });
  if ('customerId' in scope) builder.andWhere('subscription.customer_id = :customerId', scope);
  else whereIn(builder, 'subscription.organization_id', scope.organizationIds);
  if (lock) builder.setLock('pessimistic_write');
  const subscription = await builder.getOne();
  if (!subscription) throw notFound('Subscription not found');
  return subscription;
}

/** Takes what the person wrote out of a customer's subscriptions. */
export async function forgetSubscriptionsOf(tx: Pick<Tx, 'query'>, customerId: string): Promise<void> {
  await tx.query(
    `update subscriptions set custom_field_data = '{}', customer_cancellation_comment = null where customer_id = $1`,
    [customerId],
  );
}

/** SQL of the periods that were billed: one order each, whoever the scheduler was. */
export const BILLED_PERIODS_TABLE = `
  create table billed_periods (
    subscription_id uuid not null references subscriptions (id),
    period_start timestamptz not null,
    order_id uuid not null references orders (id),
    primary key (subscription_id, period_start)
  );
  alter table subscriptions add column cycle_not_before timestamptz;
  create index subscriptions_due on subscriptions (greatest(current_period_end, cycle_not_before))
    where status in ('trialing', 'active', 'past_due');
`;

const DUE_AT = 'greatest(current_period_end, cycle_not_before)';

/**
 * Takes subscriptions whose period has ended, the longest waiting first, and keeps them from others until
 * `leaseUntil`. Should this process die, they are due again then.
 */
export async function claimDueSubscriptions(
  db: Database,
  now: Date,
  leaseUntil: Date,
  batch: number,
): Promise<string[]> {
  const [rows]: [{ id: string }[], number] = await db.query(
    `update subscriptions set cycle_not_before = $2
     where id in (
       select id from subscriptions
       where status in ('trialing', 'active', 'past_due') and ${DUE_AT} <= $1
       order by ${DUE_AT} limit $3 for update skip locked)
     returning id`,
    [now, leaseUntil, batch],
  );
  return rows.map(({ id }) => id);
}

/** When the scheduler may look at a subscription again; null for as soon as it is due. */
export async function postponeCycle(
  reader: Pick<Reader, 'query'>,
  id: string,
  until: Date | null,
): Promise<void> {
  await reader.query('update subscriptions set cycle_not_before = $2 where id = $1', [id, until]);
}

/** Notes which order billed the period that begins at `periodStart`; a second one is refused by the table's key. */
export async function insertBilledPeriod(
  tx: Tx,
  subscriptionId: string,
  periodStart: Date,
  orderId: string,
): Promise<void> {
  await tx.query('insert into billed_periods (subscription_id, period_start, order_id) values ($1, $2, $3)', [
    subscriptionId,
    periodStart,
    orderId,
  ]);
}

import { inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { parseDecimal } from '@tributary/runtime/decimal.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import { startCollection } from '../collections/store.ts';
import { lockCustomer } from '../customers/store.ts';
import { lockBalance } from '../ledger/store.ts';
import { collectionOf, orderAmounts } from '../orders/amounts.ts';
import type { NewOrderItem } from '../orders/order.ts';
import { placeOrder, settleOrder } from '../orders/place-order.flow.ts';
import { appliedByPending } from '../orders/store.ts';
import { isCapable } from '../organizations/organization.ts';
import { isMetered } from '../products/price.ts';
import { isBillable } from './cancellation.ts';
import { type CycleOutcome, cycle, isCycleDue } from './cycle.ts';
import { endSubscription } from './end-subscription.flow.ts';
import { renewalMail } from './mails.ts';
import { subscriptionCycled } from './messages.ts';
import { recordSubscription } from './record-subscription.flow.ts';
import {
  finalDescription,
  finalItems,
  type PeriodUsage,
  renewalDescription,
  renewalItems,
} from './renewal.ts';
import { insertBilledPeriod, lockSubscription, postponeCycle, subscriptionsById } from './store.ts';
import type { Subscription } from './subscription.ts';
import { type FullParts, fetchCopies, loadParts } from './view-subscriptions.flow.ts';

/** When to look again at a subscription whose organization may not renew now. */
const POSTPONE_MS = 60 * 60_000;

/**
 * Moves a due subscription on by one period. Usage is asked for before the transaction; should anything about the
 * subscription change in between, nothing is written and the scheduler comes back at once.
 * @returns whether it is due for another period already
 */
export async function cycleSubscription(app: App, id: string, now: Date): Promise<boolean> {
  const reader = app.db.manager;
  const seen = (await subscriptionsById(reader, [id])).get(id);
  if (!seen || !isCycleDue(seen, now)) return false;
  await fetchCopies(app, [seen]);
  const organizations = await app.replicas.organizations.get(reader, [seen.organization_id]);
  const organization = organizations.get(seen.organization_id);
  if (!organization || !isCapable(organization, 'subscription_renewals')) {
    await postponeCycle(reader, id, new Date(now.getTime() + POSTPONE_MS));
    return false;
  }
  const usage = await readUsage(app, seen, cycle(seen, now));
  return inTransaction(app.db, (tx) => move(tx, seen, usage, now));
}

/** What was used in the period that ended; empty where none of it is to be paid. */
async function readUsage(
  app: App,
  { customer_id, prices }: Subscription,
  outcome: CycleOutcome,
): Promise<PeriodUsage> {
  const metered = prices.filter(isMetered);
  if (!outcome.isUsageDue || metered.length === 0) return new Map();
  const periods = metered.map(({ meter_id }) => ({ meter_id, ...outcome.closed }));
  const { usages } = await app.metering.getUsage({ customer_id, periods });
  return new Map(
    usages.map(({ meter_id, consumed_units, credited_units }) => [
      meter_id,
      { consumed_units: parseDecimal(consumed_units), credited_units },
    ]),
  );
}

/** Locks in the order that every writer keeps to: the customer, then what it has. */
async function move(tx: Tx, seen: Subscription, usage: PeriodUsage, now: Date): Promise<boolean> {
  const customer = await lockCustomer(tx, seen.customer_id);
  const subscription = await lockSubscription(tx, seen.organization_id, seen.id);
  if (!subscription || customer.deleted_at !== null) return false;
  await postponeCycle(tx, seen.id, null);
  if (!isSame(seen, subscription)) return isCycleDue(subscription, now);
  const outcome = cycle(subscription, now);
  const parts = (await loadParts(tx, [outcome.next])).get(seen.id)!;
  if (outcome.kind === 'renewed') await renew(tx, outcome, parts, usage, now);
  else await end(tx, outcome, parts, usage, now);
  return isCycleDue(outcome.next, now);
}

const isSame = (seen: Subscription, locked: Subscription): boolean =>
  seen.status === locked.status &&
  seen.modified_at?.getTime() === locked.modified_at?.getTime() &&
  seen.current_period_end.getTime() === locked.current_period_end.getTime();

type Renewed = Extract<CycleOutcome, { kind: 'renewed' }>;
type Ended = Extract<CycleOutcome, { kind: 'ended' }>;

async function renew(
  tx: Tx,
  outcome: Renewed,
  parts: FullParts,
  usage: PeriodUsage,
  now: Date,
): Promise<void> {
  const { next: subscription, opened } = outcome;
  const { name } = parts.product;
  const begun = { ...parts, meters: parts.meters.map((part) => ({ ...part, ...NOTHING_USED })) };
  await recordSubscription(tx, subscription, subscriptionCycled({ ...begun, subscription }, now), now);
  const items = renewalItems(subscription, name, opened, usage);
  await bill(
    tx,
    subscription,
    parts,
    { items, starts: opened.start, description: renewalDescription(name, opened) },
    now,
  );
}

/** Meters restart with the period. */
const NOTHING_USED = { consumed_units: 0, credited_units: 0 };

async function end(tx: Tx, outcome: Ended, parts: FullParts, usage: PeriodUsage, now: Date): Promise<void> {
  const { next: subscription, closed } = outcome;
  await endSubscription(tx, subscription, parts, now);
  const items = finalItems(subscription, usage);
  if (items.length === 0) return;
  const description = finalDescription(parts.product.name, closed);
  await bill(tx, subscription, parts, { items, starts: closed.end, description }, now);
}

interface Bill {
  items: readonly NewOrderItem[];
  /** Start of the period the order is for; a period has one order. */
  starts: Date;
  description: string;
}

/** Orders what a period costs. What can be charged is collected right after; anything less is settled here. */
async function bill(
  tx: Tx,
  subscription: Subscription,
  parts: FullParts,
  { items, starts, description }: Bill,
  now: Date,
): Promise<void> {
  const { customer, product, organization } = parts;
  const { currency } = subscription;
  const balance = await lockBalance(tx, customer, currency);
  const amounts = orderAmounts({
    items: items.map(({ amount }) => amount),
    discount: 0,
    tax: 0,
    isTaxInclusive: false,
    // What unpaid orders count on is not counted on twice; it is free again when they are given up.
    balance: balance + (await appliedByPending(tx, customer.id, currency)),
  });
  const placed = await placeOrder(
    tx,
    {
      amounts,
      items,
      currency,
      billing_reason: 'subscription_cycle',
      billing_name: customer.billing_name ?? customer.name,
      billing_address: customer.billing_address,
      seats: subscription.seats,
      product_id: product.id,
      discount_id: subscription.discount_id,
      subscription_id: subscription.id,
      checkout_id: null,
      metadata: subscription.metadata,
      custom_field_data: subscription.custom_field_data,
      description,
    },
    { customer, product, subscription, organization },
    now,
  );
  await insertBilledPeriod(tx, subscription.id, starts, placed.order.id);
  if (collectionOf(placed.order, currency).charged > 0) {
    await startCollection(tx, placed.order, now);
    return;
  }
  await settleOrder(tx, placed, null, now);
  if (isBillable(subscription)) await emit(tx, renewalMail(subscription, parts));
}

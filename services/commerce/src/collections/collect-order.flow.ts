import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import { collectionOf } from '../orders/amounts.ts';
import type { Order } from '../orders/order.ts';
import { getOrder } from '../orders/store.ts';
import { isCapable } from '../organizations/organization.ts';
import { findDefaultPaymentMethod } from '../payment-methods/store.ts';
import type { Decline, Outcome, Sum } from '../payments/processor.ts';
import { subscriptionsById } from '../subscriptions/store.ts';
import { fetchCopies } from '../subscriptions/view-subscriptions.flow.ts';
import { bookAttempt } from './book-attempt.flow.ts';
import { type Attempt, type Collection, chargeKey, POSTPONE_MS } from './collection.ts';
import { endCollection, postponeCollection } from './store.ts';

/**
 * Makes one attempt to collect an order and books how it ended. The processor is asked between two transactions, under
 * a key of this attempt: whoever repeats it after a crash gets the same answer, and books it once.
 */
export async function collectOrder(app: App, collection: Collection, now: Date): Promise<void> {
  const reader = app.db.manager;
  const order = await getOrder(reader, {}, collection.order_id);
  const subscription = (await subscriptionsById(reader, [order.subscription_id ?? ''])).get(
    order.subscription_id ?? '',
  );
  if (!subscription) throw new Error(`order ${order.id} is collected without its subscription`);
  await fetchCopies(app, [subscription]);
  const attempt = await attemptPayment(app, order, collection);
  if (attempt === 'over') {
    await inTransaction(app.db, (tx) => endCollection(tx, order.id));
  } else if (attempt === 'not now') {
    await postponeCollection(reader, order.id, new Date(now.getTime() + POSTPONE_MS));
  } else {
    await inTransaction(app.db, (tx) => bookAttempt(tx, collection, attempt, now));
  }
}

async function attemptPayment(
  app: App,
  order: Order,
  collection: Collection,
): Promise<Attempt | 'over' | 'not now'> {
  const sum = { amount: collectionOf(order, order.currency).charged, currency: order.currency };
  if (order.status !== 'pending') return unbooked(app, sum, collection);
  const organizations = await app.replicas.organizations.get(app.db.manager, [order.organization_id]);
  const organization = organizations.get(order.organization_id);
  if (!organization || !isCapable(organization, 'subscription_renewals')) return 'not now';
  const method = await findDefaultPaymentMethod(app.db.manager, order.customer_id);
  if (!method) return { kind: 'impossible', decline: NO_METHOD };
  return settled(
    app,
    sum,
    collection,
    await app.processor.charge(chargeKey(collection), method.processor_id, sum),
  );
}

/** The order was given up meanwhile; a charge that went through before that still has to be booked. */
async function unbooked(app: App, sum: Sum, collection: Collection): Promise<Attempt | 'over'> {
  const outcome = await app.processor.read(chargeKey(collection));
  return outcome?.status === 'succeeded' ? { kind: 'charged', outcome, sum } : 'over';
}

/** Nobody is there to prove who they are, so a charge that asks for it is given up. */
async function settled(app: App, sum: Sum, collection: Collection, outcome: Outcome): Promise<Attempt> {
  if (outcome.status !== 'requires_action') return { kind: 'charged', outcome, sum };
  const key = chargeKey(collection);
  await app.processor.cancel(key);
  const ended = await app.processor.read(key);
  if (ended && ended.status !== 'requires_action') return { kind: 'charged', outcome: ended, sum };
  return { kind: 'impossible', decline: NEEDS_CUSTOMER };
}

const NO_METHOD: Decline = {
  reason: 'missing_payment_method',
  message: 'The customer has no payment method.',
  isHard: false,
};
const NEEDS_CUSTOMER: Decline = {
  reason: 'authentication_required',
  message: 'The payment needs the customer to confirm it.',
  isHard: false,
};

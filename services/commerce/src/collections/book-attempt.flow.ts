import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { lockCustomer } from '../customers/store.ts';
import { orderUnvoided, orderUpdated, orderVoided } from '../orders/messages.ts';
import { planPaymentAttempt, unvoidOrder, voidOrder } from '../orders/order.ts';
import { settleOrder } from '../orders/place-order.flow.ts';
import type { OrderView } from '../orders/present.ts';
import { getOrder, itemsOf, lockOrder, saveOrder } from '../orders/store.ts';
import { newPayment, type Payment } from '../payments/payment.ts';
import type { Decline } from '../payments/processor.ts';
import { insertPayment } from '../payments/store.ts';
import { isBillable } from '../subscriptions/cancellation.ts';
import { endSubscription } from '../subscriptions/end-subscription.flow.ts';
import { renewalMail, subscriptionMail } from '../subscriptions/mails.ts';
import { subscriptionPastDue, subscriptionReactivated } from '../subscriptions/messages.ts';
import { recordSubscription } from '../subscriptions/record-subscription.flow.ts';
import { lockSubscription } from '../subscriptions/store.ts';
import {
  becomePastDue,
  recover,
  revokeSubscription,
  type Subscription,
} from '../subscriptions/subscription.ts';
import { type FullParts, loadParts } from '../subscriptions/view-subscriptions.flow.ts';
import { type Attempt, type Collection, declineOf } from './collection.ts';
import { nextAttemptAt } from './dunning.ts';
import { endCollection, hasFailedCollection, lockCollection, retryCollection } from './store.ts';

/** What booking works on, every row of it locked. */
interface Books {
  view: OrderView;
  subscription: Subscription;
  parts: FullParts;
  collection: Collection;
}

/** Writes down how an attempt ended, unless somebody has done so already. */
export async function bookAttempt(tx: Tx, made: Collection, attempt: Attempt, now: Date): Promise<void> {
  const books = await openBooks(tx, made);
  if (!books) return;
  const payment = paymentOf(attempt, books, now);
  const decline = declineOf(attempt);
  if (!decline) return bookSuccess(tx, books, payment!, now);
  if (payment) await insertPayment(tx, payment);
  return bookFailure(tx, books, decline, now);
}

/** Locks in the order that every writer keeps to: customer, subscription, order. */
async function openBooks(tx: Tx, made: Collection): Promise<Books | undefined> {
  const { customer_id, organization_id, subscription_id } = await getOrder(tx, {}, made.order_id);
  const customer = await lockCustomer(tx, customer_id);
  const subscription = await lockSubscription(tx, organization_id, subscription_id!);
  const collection = await lockCollection(tx, made.order_id);
  if (!subscription || !collection || collection.attempts !== made.attempts) return undefined;
  const order = await lockOrder(tx, made.order_id);
  const items = (await itemsOf(tx, [order.id])).get(order.id) ?? [];
  const parts = (await loadParts(tx, [subscription])).get(subscription.id)!;
  return {
    view: { order, items, customer, product: parts.product, subscription },
    subscription,
    parts,
    collection,
  };
}

function paymentOf(attempt: Attempt, { view, collection }: Books, now: Date): Payment | undefined {
  if (attempt.kind === 'impossible') return undefined;
  const { order, customer } = view;
  const { trigger } = collection;
  const context = {
    organization_id: order.organization_id,
    customer_id: customer.id,
    customer_email: customer.email,
    checkout_id: null,
    order_id: order.id,
    trigger,
  };
  return newPayment(attempt.outcome, attempt.sum, context, now);
}

async function bookSuccess(tx: Tx, books: Books, payment: Payment, now: Date): Promise<void> {
  const { order } = books.view;
  await endCollection(tx, order.id);
  await settleOrder(tx, await reopened(tx, books.view, now), payment, now);
  const { subscription, parts } = books;
  if (isBillable(subscription)) await emit(tx, renewalMail(subscription, parts));
  const isClear = !(await hasFailedCollection(tx, subscription.id));
  if (subscription.status === 'past_due' && isClear) {
    const next = recover(subscription, now);
    await recordSubscription(tx, next, subscriptionReactivated({ ...parts, subscription: next }, now), now);
  }
}

/** Money that came in for an order given up meanwhile is not thrown away. */
async function reopened(tx: Tx, view: OrderView, now: Date): Promise<OrderView> {
  if (view.order.status !== 'void') return view;
  const order = unvoidOrder(view.order, now);
  const open = { ...view, order };
  await saveOrder(tx, order, orderUnvoided(open, now));
  return open;
}

async function bookFailure(tx: Tx, books: Books, decline: Decline, now: Date): Promise<void> {
  const { view, subscription, parts } = books;
  if (view.order.status !== 'pending') return endCollection(tx, view.order.id);
  const { order_id, attempts } = books.collection;
  const first_failed_at = books.collection.first_failed_at ?? now;
  const firstFailedAt = subscription.past_due_at ?? first_failed_at;
  const failures = countFailures(books.collection);
  const scheduled = nextAttemptAt({ firstFailedAt, failures, isHardDecline: decline.isHard }, now);
  if (scheduled === null) return giveUp(tx, books, now);
  const nextAttempt = earlier(scheduled, view.order.next_payment_attempt_at, now);
  await retryCollection(tx, { order_id, attempts: attempts + 1, failures, first_failed_at }, nextAttempt);
  const order = planPaymentAttempt(view.order, nextAttempt, now);
  if (subscription.status !== 'active') {
    await saveOrder(tx, order, orderUpdated({ ...view, order }, now));
    return;
  }
  const pastDue = becomePastDue(subscription, now);
  await saveOrder(tx, order, orderUpdated({ ...view, order, subscription: pastDue }, now));
  const messages = [
    ...subscriptionPastDue({ ...parts, subscription: pastDue }, now),
    ...subscriptionMail('subscription_past_due', pastDue, parts),
  ];
  await recordSubscription(tx, pastDue, messages, now);
}

/** A card that the customer has just given and that is refused costs none of the attempts that are planned. */
const countFailures = ({ failures, trigger }: Collection): number =>
  trigger === 'retry_payment_method_update' ? failures : failures + 1;

/** An attempt that was planned before the customer tried another card stays planned. */
const earlier = (scheduled: Date, planned: Date | null, now: Date): Date =>
  planned !== null && planned > now && planned < scheduled ? planned : scheduled;

/** Every attempt has failed: the subscription ends and takes its unpaid orders with it. */
async function giveUp(tx: Tx, { view, subscription, parts }: Books, now: Date): Promise<void> {
  await endCollection(tx, view.order.id);
  if (isBillable(subscription)) return endSubscription(tx, revokeSubscription(subscription, now), parts, now);
  const order = voidOrder(view.order, now);
  await saveOrder(tx, order, orderVoided({ ...view, order }, now));
}

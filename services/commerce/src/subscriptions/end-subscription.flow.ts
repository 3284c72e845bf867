import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import { revokeSeats } from '../customer-seats/revoke-seats.flow.ts';
import { voidPendingOrders } from '../orders/void-orders.flow.ts';
import { subscriptionMail } from './mails.ts';
import { subscriptionRevoked } from './messages.ts';
import { recordSubscription } from './record-subscription.flow.ts';
import { lockLiveSubscriptions, readLiveSubscriptions } from './store.ts';
import { revokeSubscription, type Subscription } from './subscription.ts';
import { type FullParts, fetchCopies, loadParts } from './view-subscriptions.flow.ts';

/** Saves a subscription that has ended, with all that ends with it: unpaid orders and seats. */
export async function endSubscription(
  tx: Tx,
  ended: Subscription,
  parts: FullParts,
  now: Date,
): Promise<void> {
  const messages = [
    ...subscriptionRevoked({ ...parts, subscription: ended }, now),
    ...subscriptionMail('subscription_revoked', ended, parts),
  ];
  await recordSubscription(tx, ended, messages, now);
  await voidPendingOrders(tx, ended, parts, now);
  await revokeSeats(tx, { subscription_id: ended.id }, now);
}

/** What `cancelSubscriptionsOf` will show, fetched while remote calls are still allowed. */
export const prepareCancellation = async (app: App, customerId: string): Promise<void> =>
  fetchCopies(app, await readLiveSubscriptions(app.db.manager, customerId));

/**
 * Ends every subscription of a customer at once, in the transaction that deletes the customer. Its row is locked, and
 * already says what may still be shown of the customer.
 */
export async function cancelSubscriptionsOf(tx: Tx, customerId: string, now: Date): Promise<void> {
  const live = await lockLiveSubscriptions(tx, customerId);
  const parts = await loadParts(tx, live);
  for (const subscription of live) {
    await endSubscription(tx, revokeSubscription(subscription, now), parts.get(subscription.id)!, now);
  }
}

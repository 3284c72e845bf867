import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { stateChangedSoon } from '../customers/state-changes.ts';
import { saveSubscription } from './store.ts';
import type { Subscription } from './subscription.ts';

/** Saves a change of a locked subscription with what is told of it; the customer's state has changed with it. */
export async function recordSubscription(
  tx: Tx,
  subscription: Subscription,
  messages: OutgoingMessage[],
  now: Date,
): Promise<void> {
  await saveSubscription(tx, subscription, messages);
  await stateChangedSoon(tx, { id: subscription.customer_id }, now);
}

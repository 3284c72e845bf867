import { stateChanged } from '@tributary/proto/events/message.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { withParts } from './load-parts.flow.ts';
import { presentSubscriptionState } from './present.ts';
import { subscriptionsAfter } from './store.ts';

const BATCH = 100;

/** Tells the state of all of a customer's subscriptions again: copies of them must not go on naming the person. */
export async function retellSubscriptions(tx: Tx, customerId: string): Promise<void> {
  let afterId: string | undefined;
  do {
    const found = await subscriptionsAfter(tx, customerId, afterId, BATCH);
    const told = await withParts(tx, found);
    await emit(
      tx,
      told.map((one) =>
        stateChanged('subscriptions', one.subscription.id, presentSubscriptionState(one.subscription, one)),
      ),
    );
    afterId = found.length === BATCH ? found.at(-1)!.id : undefined;
  } while (afterId);
}

import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import { endSubscription } from './end-subscription.flow.ts';
import { subscriptionMail } from './mails.ts';
import { cancellationScheduled, cancellationWithdrawn, subscriptionUpdated } from './messages.ts';
import { recordSubscription } from './record-subscription.flow.ts';
import { getSubscription, type SubscriptionScope } from './store.ts';
import type { Subscription } from './subscription.ts';
import { type Changed, change, type SubscriptionChange } from './update.ts';
import { type FullParts, fetchCopies, loadParts } from './view-subscriptions.flow.ts';

/** A subscription with what it shows. */
export interface Shown {
  subscription: Subscription;
  parts: FullParts;
}

/** The part of a request that a change needs. */
interface Writing {
  now: Date;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

export interface ChangeOrder<T> {
  scope: SubscriptionScope;
  id: string;
  change: SubscriptionChange;
  /** Refuses who may not; sees the subscription before it is locked. */
  guard?(subscription: Subscription, app: App): unknown;
  present(shown: Shown): T;
}

/** One change of one subscription: seen, locked, decided, saved and told in one transaction. */
export async function changeSubscription<T>(app: App, call: Writing, order: ChangeOrder<T>): Promise<T> {
  const { scope, id } = order;
  const seen = await getSubscription(app.db.manager, scope, id);
  await order.guard?.(seen, app);
  await fetchCopies(app, [seen]);
  return call.transaction(async (tx) => {
    const subscription = await getSubscription(tx, scope, id, true);
    const changed = change(subscription, order.change, call.now);
    const parts = (await loadParts(tx, [changed.next])).get(id)!;
    await save(tx, changed, parts, call.now);
    return order.present({ subscription: changed.next, parts });
  });
}

async function save(tx: Tx, { next, told }: Changed, parts: FullParts, now: Date): Promise<void> {
  const all = { ...parts, subscription: next };
  switch (told) {
    case 'nothing':
      return;
    case 'updated':
      return recordSubscription(tx, next, subscriptionUpdated(all, now), now);
    case 'cancellationScheduled':
      return recordSubscription(
        tx,
        next,
        [...cancellationScheduled(all, now), ...subscriptionMail('subscription_cancellation', next, parts)],
        now,
      );
    case 'cancellationWithdrawn':
      return recordSubscription(
        tx,
        next,
        [...cancellationWithdrawn(all, now), ...subscriptionMail('subscription_uncanceled', next, parts)],
        now,
      );
    case 'ended':
      return endSubscription(tx, next, parts, now);
  }
}

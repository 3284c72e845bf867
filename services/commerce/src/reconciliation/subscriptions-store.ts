import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf } from '@tributary/runtime/reconciliation/parts.ts';

export const subscriptionParts: readonly Part[] = [
  noneOf(
    'subscriptions: not renewed in time',
    `select subscription.id from span, subscriptions subscription
     where subscription.status in ('trialing', 'active', 'past_due')
       and greatest(subscription.current_period_end, subscription.cycle_not_before)
         < span.before - interval '10 minutes'`,
  ),
  /** Each billed period has its order, and that order is the subscription's own. */
  noneOf(
    'subscriptions: periods billed on the order of another',
    `select billed.subscription_id as id from billed_periods billed join orders sold on sold.id = billed.order_id
     where sold.subscription_id is distinct from billed.subscription_id`,
  ),
  noneOf(
    'subscriptions: more seats taken than bought',
    `select subscription.id from subscriptions subscription
     where subscription.seats is not null and subscription.status in ('trialing', 'active')
       and subscription.seats < (
         select count(*) from customer_seats
         where subscription_id = subscription.id and status <> 'revoked')`,
  ),
];

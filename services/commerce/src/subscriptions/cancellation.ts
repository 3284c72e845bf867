import { BadRequest, Problem } from '@tributary/runtime/http/problem.ts';
import { AlreadyCanceledSubscription, InactiveSubscription, ResourceUnavailable } from '../problems.ts';
import type { CancellationReason, Subscription, SubscriptionStatus } from './subscription.ts';

/** Statuses in which a subscription goes on from period to period. */
export const billableStatuses = ['trialing', 'active', 'past_due'] as const satisfies SubscriptionStatus[];

export const isBillable = ({ status }: Pick<Subscription, 'status'>): boolean =>
  (billableStatuses as readonly SubscriptionStatus[]).includes(status);

/** What the customer gave as the reason. */
export interface Farewell {
  reason?: CancellationReason | null;
  comment?: string | null;
}

/** Keeps what was said; what was not said stays as it was. */
export const withFarewell = (subscription: Subscription, { reason, comment }: Farewell): Subscription => ({
  ...subscription,
  customer_cancellation_reason: reason === undefined ? subscription.customer_cancellation_reason : reason,
  customer_cancellation_comment: comment === undefined ? subscription.customer_cancellation_comment : comment,
});

/** Lets the subscription run out with its period; a pause that was planned for then is dropped. */
export function scheduleCancellation(subscription: Subscription, now: Date): Subscription {
  if (subscription.status === 'paused') {
    throw new Problem(InactiveSubscription, 'A paused subscription can only be ended at once, or resumed.');
  }
  if (!isBillable(subscription) || subscription.cancel_at_period_end) {
    throw new Problem(AlreadyCanceledSubscription, 'This subscription is already canceled.');
  }
  return {
    ...subscription,
    modified_at: now,
    cancel_at_period_end: true,
    canceled_at: now,
    ends_at: subscription.current_period_end,
    pause_at_period_end: false,
    resumes_at: null,
  };
}

/** Takes a scheduled cancellation back, and with it what was said of its reason. */
export function withdrawCancellation(subscription: Subscription, now: Date): Subscription {
  if (subscription.ended_at !== null || subscription.status === 'canceled') {
    throw new Problem(ResourceUnavailable, 'This subscription has ended.');
  }
  if (!subscription.cancel_at_period_end) {
    throw new Problem(BadRequest, 'This subscription is not scheduled to be canceled.');
  }
  return {
    ...subscription,
    modified_at: now,
    cancel_at_period_end: false,
    canceled_at: null,
    ends_at: null,
    customer_cancellation_reason: null,
    customer_cancellation_comment: null,
  };
}

import {
  type OutgoingMessage,
  stateChanged,
  systemEvent,
  webhookEvent,
} from '@tributary/proto/events/message.ts';
import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import type { Customer } from '../customers/customer.ts';
import { eventContext } from '../customers/messages.ts';
import { presentSubscription, presentSubscriptionState, type SubscriptionParts } from './present.ts';
import type { Subscription } from './subscription.ts';

/** A subscription with what its messages show of it. */
export interface ToldSubscription extends SubscriptionParts {
  subscription: Subscription;
  customer: Customer;
}

type SubscriptionWebhook = Extract<WebhookEventType, `subscription.${string}`>;

/** The webhooks of one change, in order, and the new state for other services. */
export function subscriptionTold(
  told: ToldSubscription,
  webhooks: readonly SubscriptionWebhook[],
  now: Date,
): OutgoingMessage[] {
  const presented = presentSubscription(told.subscription, told);
  const { organization_id, id } = told.subscription;
  return [
    ...webhooks.map((type) => webhookEvent(type, organization_id, presented, now)),
    stateChanged('subscriptions', id, presentSubscriptionState(told.subscription, told)),
  ];
}

/** What is paid and how often, as most subscription events carry it. */
export const terms = (subscription: Subscription) => ({
  subscription_id: subscription.id,
  product_id: subscription.product_id,
  amount: subscription.amount,
  currency: subscription.currency,
  recurring_interval: subscription.recurring_interval,
  recurring_interval_count: subscription.recurring_interval_count,
});

export const subscriptionCreated = (told: ToldSubscription, now: Date): OutgoingMessage[] => [
  systemEvent('subscription.created', eventContext(told.customer, now), {
    ...terms(told.subscription),
    started_at: (told.subscription.started_at ?? now).toISOString(),
  }),
  ...subscriptionTold(told, ['subscription.created', 'subscription.updated', 'subscription.active'], now),
];

/** A change without a name of its own, such as of its metadata. */
export const subscriptionUpdated = (told: ToldSubscription, now: Date): OutgoingMessage[] =>
  subscriptionTold(told, ['subscription.updated'], now);

const canceled = ({ subscription, customer }: ToldSubscription, now: Date): OutgoingMessage =>
  systemEvent('subscription.canceled', eventContext(customer, now), {
    ...terms(subscription),
    customer_cancellation_reason: subscription.customer_cancellation_reason ?? undefined,
    customer_cancellation_comment: subscription.customer_cancellation_comment ?? undefined,
    canceled_at: (subscription.canceled_at ?? now).toISOString(),
    ends_at: subscription.ends_at?.toISOString(),
    cancel_at_period_end: subscription.cancel_at_period_end,
  });

/** It will end with its period. */
export const cancellationScheduled = (told: ToldSubscription, now: Date): OutgoingMessage[] => [
  canceled(told, now),
  ...subscriptionTold(told, ['subscription.updated', 'subscription.canceled'], now),
];

/** It goes on after all. */
export const cancellationWithdrawn = (told: ToldSubscription, now: Date): OutgoingMessage[] => [
  systemEvent('subscription.uncanceled', eventContext(told.customer, now), terms(told.subscription)),
  ...subscriptionTold(told, ['subscription.updated', 'subscription.uncanceled'], now),
];

/** It has ended. */
export const subscriptionRevoked = (told: ToldSubscription, now: Date): OutgoingMessage[] => [
  canceled(told, now),
  systemEvent('subscription.revoked', eventContext(told.customer, now), terms(told.subscription)),
  ...subscriptionTold(told, ['subscription.updated', 'subscription.canceled', 'subscription.revoked'], now),
];

/**
 * A period has begun. The event is dated to that moment, however late it is noticed: meters restart where the period
 * does.
 */
export const subscriptionCycled = (told: ToldSubscription, now: Date): OutgoingMessage[] => [
  systemEvent(
    'subscription.cycled',
    eventContext(told.customer, told.subscription.current_period_start),
    terms(told.subscription),
  ),
  ...subscriptionTold(told, ['subscription.updated', 'subscription.cycled'], now),
];

/** A renewal could not be collected. */
export const subscriptionPastDue = (told: ToldSubscription, now: Date): OutgoingMessage[] => [
  systemEvent('subscription.past_due', eventContext(told.customer, now), {
    ...terms(told.subscription),
    past_due_at: (told.subscription.past_due_at ?? now).toISOString(),
  }),
  ...subscriptionTold(told, ['subscription.updated', 'subscription.past_due'], now),
];

/** What was owed has been paid. */
export const subscriptionReactivated = (told: ToldSubscription, now: Date): OutgoingMessage[] => [
  systemEvent('subscription.reactivated', eventContext(told.customer, now), terms(told.subscription)),
  ...subscriptionTold(told, ['subscription.updated', 'subscription.active'], now),
];

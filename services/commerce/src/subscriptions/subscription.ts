import { newId } from '@tributary/proto/id.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import { machine, type StatusOf } from '@tributary/runtime/machine.ts';
import { anchorDayOf, type Cadence, type Interval, periodFrom } from '@tributary/runtime/period.ts';
import { AlreadyCanceledSubscription } from '../problems.ts';
import { isMetered, type Price } from '../products/price.ts';

/**
 * The life of a subscription (domain rules 3.3). A scheduled cancellation or pause is a flag, not a status.
 * `incomplete`, `incomplete_expired` and `unpaid` are read for compatibility and never entered.
 */
export const subscriptionMachine = machine(
  'subscription',
  {
    incomplete: {},
    incomplete_expired: {},
    trialing: { endTrial: 'active', cancel: 'canceled' },
    active: { startTrial: 'trialing', paymentFailed: 'past_due', pause: 'paused', cancel: 'canceled' },
    past_due: { paymentSucceeded: 'active', cancel: 'canceled' },
    canceled: { reinstate: 'active' },
    unpaid: {},
    paused: { resume: 'active', cancel: 'canceled' },
  },
  { cancel: AlreadyCanceledSubscription },
);
export type SubscriptionStatus = StatusOf<typeof subscriptionMachine>;
export const subscriptionStatuses = subscriptionMachine.statuses;

export const cancellationReasons = [
  'customer_service',
  'low_quality',
  'missing_features',
  'switched_service',
  'too_complex',
  'too_expensive',
  'unused',
  'other',
] as const;
export type CancellationReason = (typeof cancellationReasons)[number];

/** A change that waits for the end of the period. */
export interface PendingUpdate {
  id: string;
  created_at: string;
  modified_at: string | null;
  applies_at: string;
  product_id: string | null;
  seats: number | null;
}

/** A customer's standing purchase of a recurring product. */
export interface Subscription extends Recorded {
  organization_id: string;
  customer_id: string;
  product_id: string;
  discount_id: string | null;
  checkout_id: string | null;
  status: SubscriptionStatus;
  /** What each period costs in advance: static prices times seats, after discount. */
  amount: number;
  currency: string;
  recurring_interval: Interval;
  recurring_interval_count: number;
  /** Day of the month that later periods return to. */
  anchor_day: number;
  current_period_start: Date;
  current_period_end: Date;
  current_meter_period_start: Date | null;
  current_meter_period_end: Date | null;
  trial_start: Date | null;
  trial_end: Date | null;
  cancel_at_period_end: boolean;
  canceled_at: Date | null;
  started_at: Date | null;
  ends_at: Date | null;
  ended_at: Date | null;
  past_due_at: Date | null;
  pause_at_period_end: boolean;
  paused_at: Date | null;
  resumes_at: Date | null;
  seats: number | null;
  customer_cancellation_reason: CancellationReason | null;
  customer_cancellation_comment: string | null;
  metadata: Metadata;
  custom_field_data: Record<string, unknown>;
  /** The prices it was bought at; the product's own may have changed since. */
  prices: Price[];
  pending_update: PendingUpdate | null;
}

/** One metered price of a subscription, under an id that stays. */
export interface SubscriptionMeter extends Recorded {
  subscription_id: string;
  meter_id: string;
}

export type NewSubscription = Pick<
  Subscription,
  | 'organization_id'
  | 'customer_id'
  | 'product_id'
  | 'discount_id'
  | 'checkout_id'
  | 'amount'
  | 'currency'
  | 'seats'
  | 'metadata'
  | 'custom_field_data'
  | 'prices'
> & { cadence: Cadence; startsAt: Date; trialEnd: Date | null };

/** Starts with its trial, if it has one, else with its first period. */
export function newSubscription(
  { cadence, startsAt, trialEnd, ...facts }: NewSubscription,
  now: Date,
): Subscription {
  const period = trialEnd ? { start: startsAt, end: trialEnd } : periodFrom(startsAt, cadence);
  return {
    id: newId(),
    created_at: now,
    modified_at: null,
    ...facts,
    status: trialEnd ? 'trialing' : 'active',
    recurring_interval: cadence.interval,
    recurring_interval_count: cadence.count,
    anchor_day: anchorDayOf(trialEnd ?? startsAt),
    current_period_start: period.start,
    current_period_end: period.end,
    current_meter_period_start: null,
    current_meter_period_end: null,
    trial_start: trialEnd && period.start,
    trial_end: trialEnd,
    cancel_at_period_end: false,
    canceled_at: null,
    started_at: startsAt,
    ends_at: null,
    ended_at: null,
    past_due_at: null,
    pause_at_period_end: false,
    paused_at: null,
    resumes_at: null,
    customer_cancellation_reason: null,
    customer_cancellation_comment: null,
    pending_update: null,
  };
}

export interface Upgrade {
  product_id: string;
  prices: Price[];
  amount: number;
  currency: string;
  seats: number | null;
  checkout_id: string;
  cadence: Cadence;
}

/** A checkout moved it to another product: a new cycle starts at once. */
export function upgradeSubscription(
  subscription: Subscription,
  { cadence, ...bought }: Upgrade,
  now: Date,
): Subscription {
  const period = periodFrom(now, cadence);
  return {
    ...subscription,
    ...bought,
    modified_at: now,
    recurring_interval: cadence.interval,
    recurring_interval_count: cadence.count,
    anchor_day: anchorDayOf(now),
    current_period_start: period.start,
    current_period_end: period.end,
    cancel_at_period_end: false,
    canceled_at: null,
    ends_at: null,
    pending_update: null,
  };
}

/** One row for each meter its prices count on. */
export const newSubscriptionMeters = (subscription: Subscription, now: Date): SubscriptionMeter[] =>
  [...new Set(subscription.prices.filter(isMetered).map((price) => price.meter_id))].map((meter_id) => ({
    id: newId(),
    created_at: now,
    modified_at: null,
    subscription_id: subscription.id,
    meter_id,
  }));

/** Ends it at once (domain rules 3.6): from whatever it was, unless it is over. */
export const revokeSubscription = (subscription: Subscription, now: Date): Subscription => ({
  ...subscription,
  modified_at: now,
  status: subscriptionMachine.next(subscription.status, 'cancel'),
  cancel_at_period_end: false,
  canceled_at: subscription.canceled_at ?? now,
  ends_at: now,
  ended_at: now,
  pause_at_period_end: false,
  resumes_at: null,
  pending_update: null,
});

/** Whether it gives access: trialing or active. */
export const isActive = ({ status }: Subscription): boolean => status === 'trialing' || status === 'active';

/** Whether anything is ever to pay for it: in advance, or for usage. */
export const asksForMoney = ({ amount, prices }: Pick<Subscription, 'amount' | 'prices'>): boolean =>
  amount > 0 || prices.some(isMetered);

/** A renewal could not be collected. */
export const becomePastDue = (subscription: Subscription, now: Date): Subscription => ({
  ...subscription,
  modified_at: now,
  status: subscriptionMachine.next(subscription.status, 'paymentFailed'),
  past_due_at: now,
});

/** Everything that was owed is paid. */
export const recover = (subscription: Subscription, now: Date): Subscription => ({
  ...subscription,
  modified_at: now,
  status: subscriptionMachine.next(subscription.status, 'paymentSucceeded'),
  past_due_at: null,
});

import { z } from 'zod';
import { Currency, Instant, MinorUnits } from '../fields.ts';

const subscription = { subscription_id: z.string() };

/** What the customer pays and how often. */
const terms = {
  amount: MinorUnits,
  currency: Currency,
  recurring_interval: z.string(),
  recurring_interval_count: z.int(),
};

const knownTerms = {
  product_id: z.string().optional(),
  amount: terms.amount.optional(),
  currency: terms.currency.optional(),
  recurring_interval: terms.recurring_interval.optional(),
  recurring_interval_count: terms.recurring_interval_count.optional(),
};

/** Every step of a subscription; a key is absent where the value is not known. */
export const subscriptionEvents = {
  'subscription.created': z
    .object({ ...subscription, product_id: z.string(), ...terms, started_at: Instant })
    .meta({ id: 'SubscriptionCreatedMetadata' }),
  'subscription.updated': z
    .object({
      ...subscription,
      product_id: z.string().optional(),
      proration_behavior: z.enum(['invoice', 'prorate', 'next_period', 'reset']).optional(),
      discount_id: z.string().nullable().optional(),
      trial_end: Instant.optional(),
      seats: z.int().optional(),
      billing_period_end: Instant.optional(),
    })
    .meta({
      id: 'SubscriptionUpdatedMetadata',
      description: 'Only what changed; a removed discount is null',
    }),
  'subscription.cycled': z
    .object({ ...subscription, ...knownTerms })
    .meta({ id: 'SubscriptionCycledMetadata' }),
  'subscription.canceled': z
    .object({
      ...subscription,
      product_id: z.string().optional(),
      ...terms,
      customer_cancellation_reason: z.string().optional(),
      customer_cancellation_comment: z.string().optional(),
      canceled_at: Instant,
      ends_at: Instant.optional(),
      cancel_at_period_end: z.boolean().optional(),
    })
    .meta({ id: 'SubscriptionCanceledMetadata' }),
  'subscription.revoked': z
    .object({ ...subscription, ...knownTerms })
    .meta({ id: 'SubscriptionRevokedMetadata' }),
  'subscription.past_due': z
    .object({ ...subscription, ...knownTerms, past_due_at: Instant })
    .meta({ id: 'SubscriptionPastDueMetadata' }),
  'subscription.reactivated': z
    .object({ ...subscription, ...knownTerms })
    .meta({ id: 'SubscriptionReactivatedMetadata' }),
  'subscription.reinstated': z
    .object({ ...subscription, ...knownTerms })
    .meta({ id: 'SubscriptionReinstatedMetadata' }),
  'subscription.paused': z
    .object({ ...subscription, ...knownTerms, paused_at: Instant, resumes_at: Instant.optional() })
    .meta({ id: 'SubscriptionPausedMetadata' }),
  'subscription.resumed': z
    .object({ ...subscription, ...knownTerms })
    .meta({ id: 'SubscriptionResumedMetadata' }),
  'subscription.uncanceled': z
    .object({ ...subscription, product_id: z.string(), ...terms })
    .meta({ id: 'SubscriptionUncanceledMetadata' }),
  'subscription.product_updated': z
    .object({ ...subscription, old_product_id: z.string(), new_product_id: z.string() })
    .meta({ id: 'SubscriptionProductUpdatedMetadata' }),
  'subscription.seats_updated': z
    .object({ ...subscription, old_seats: z.int(), new_seats: z.int(), proration_behavior: z.string() })
    .meta({ id: 'SubscriptionSeatsUpdatedMetadata' }),
  'subscription.billing_period_updated': z
    .object({ ...subscription, old_period_end: Instant, new_period_end: Instant })
    .meta({ id: 'SubscriptionBillingPeriodUpdatedMetadata' }),
  'subscription.update_cleared': z.object(subscription).meta({ id: 'SubscriptionUpdateClearedMetadata' }),
};

export const subscriptionSubject = ['subscription_id'] as const;

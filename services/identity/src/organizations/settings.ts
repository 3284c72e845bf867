import { Int32 } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

/** The settings objects of an organization: wire shapes, stored as they are. */

const flag = z.boolean().default(false);

export const FeatureSettings = z
  .object({
    issue_funding_enabled: flag,
    seat_based_pricing_enabled: flag,
    wallets_enabled: flag,
    member_model_enabled: flag,
    checkout_localization_enabled: flag,
    overview_metrics: z.array(z.string()).nullish(),
    reset_proration_behavior_enabled: flag,
    off_session_charges_enabled: flag,
    meter_cycling_enabled: flag,
    slack_benefit_enabled: flag,
    preview_access_enabled: flag,
    disputes_enabled: flag,
    sso_enabled: flag,
    dispute_auto_accept_enabled: flag,
    compass_enabled: flag,
    merchant_migration_enabled: flag,
  })
  .meta({ id: 'OrganizationFeatureSettings' });
export type FeatureSettings = z.output<typeof FeatureSettings>;

/** The features a merchant switches; a key left out stays as it is. */
export const FeatureSettingsUpdate = z
  .object({
    seat_based_pricing_enabled: z.boolean().optional(),
    member_model_enabled: z.boolean().optional(),
    checkout_localization_enabled: z.boolean().optional(),
    overview_metrics: z.array(z.string().min(1).max(100)).max(100).nullish(),
  })
  .meta({ id: 'OrganizationFeatureSettingsUpdate' });
export type FeatureSettingsUpdate = z.output<typeof FeatureSettingsUpdate>;

export const SubscriptionSettings = z
  .object({
    allow_multiple_subscriptions: z.boolean(),
    proration_behavior: z.enum(['invoice', 'prorate', 'next_period']),
    benefit_revocation_grace_period: Int32.min(0),
    prevent_trial_abuse: z.boolean(),
    allow_customer_updates: z.boolean(),
  })
  .meta({ id: 'OrganizationSubscriptionSettings' });
export type SubscriptionSettings = z.output<typeof SubscriptionSettings>;

export const CustomerEmailSettings = z
  .object({
    order_confirmation: z.boolean(),
    payment_method_expiration_reminder: z.boolean(),
    subscription_cancellation: z.boolean(),
    subscription_confirmation: z.boolean(),
    subscription_cycled: z.boolean(),
    subscription_cycled_after_trial: z.boolean(),
    subscription_past_due: z.boolean(),
    subscription_paused: z.boolean(),
    subscription_resumed: z.boolean(),
    subscription_renewal_reminder: z.boolean(),
    subscription_revoked: z.boolean(),
    subscription_trial_conversion_reminder: z.boolean(),
    subscription_uncanceled: z.boolean(),
    subscription_updated: z.boolean(),
  })
  .meta({ id: 'OrganizationCustomerEmailSettings' });
export type CustomerEmailSettings = z.output<typeof CustomerEmailSettings>;

export const CustomerPortalSettings = z
  .object({
    usage: z.object({ show: z.boolean() }).meta({ id: 'CustomerPortalUsageSettings' }),
    subscription: z
      .object({ update_seats: z.boolean(), update_plan: z.boolean(), pause: z.boolean().default(false) })
      .meta({ id: 'CustomerPortalSubscriptionSettings' }),
    customer: z
      .object({ allow_email_change: z.boolean().default(false) })
      .meta({ id: 'CustomerPortalCustomerSettings' })
      .default({ allow_email_change: false }),
  })
  .meta({ id: 'OrganizationCustomerPortalSettings' });
export type CustomerPortalSettings = z.output<typeof CustomerPortalSettings>;

export const DisputeSettings = z
  .object({ auto_accept_below_amount: z.int().nullable() })
  .meta({ id: 'OrganizationDisputeSettings' });
export type DisputeSettings = z.output<typeof DisputeSettings>;

export const DisputeSettingsUpdate = z
  .object({ auto_accept_below_amount: z.int().min(1).max(10_000).nullish() })
  .meta({ id: 'OrganizationDisputeSettingsUpdate' });
export type DisputeSettingsUpdate = z.output<typeof DisputeSettingsUpdate>;

export const defaultFeatures: FeatureSettings = FeatureSettings.parse({
  seat_based_pricing_enabled: true,
  member_model_enabled: true,
});

/** Every flag on, as the first organization of a fresh start has them. */
export const allFeatures: FeatureSettings = FeatureSettings.parse(
  Object.fromEntries(
    Object.keys(FeatureSettings.shape)
      .filter((key) => key.endsWith('_enabled'))
      .map((key) => [key, true]),
  ),
);

export const defaultSubscriptionSettings: SubscriptionSettings = {
  allow_multiple_subscriptions: false,
  proration_behavior: 'prorate',
  benefit_revocation_grace_period: 0,
  prevent_trial_abuse: false,
  allow_customer_updates: true,
};

export const defaultEmailSettings = Object.fromEntries(
  Object.keys(CustomerEmailSettings.shape).map((key) => [key, true]),
) as CustomerEmailSettings;

export const defaultPortalSettings: CustomerPortalSettings = {
  usage: { show: true },
  subscription: { update_seats: true, update_plan: true, pause: false },
  customer: { allow_email_change: false },
};

export const defaultDisputeSettings: DisputeSettings = { auto_accept_below_amount: null };

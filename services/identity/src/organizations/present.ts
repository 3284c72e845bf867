import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import { capabilitiesOf } from './capabilities.ts';
import type { Organization } from './organization.ts';
import type { OrganizationWire } from './schema.ts';

/** The organization as its members read it. */
export const presentOrganization = (organization: Organization): OrganizationWire => ({
  ...presentRecorded(organization),
  name: organization.name,
  slug: organization.slug,
  avatar_url: organization.avatar_url,
  proration_behavior: organization.subscription_settings.proration_behavior,
  allow_customer_updates: organization.customer_portal_settings.subscription.update_plan,
  email: organization.email,
  website: organization.website,
  socials: organization.socials as OrganizationWire['socials'],
  status: organization.status,
  details_submitted_at: iso(organization.details_submitted_at),
  onboarding_resubmission_requested_at: iso(organization.onboarding_resubmission_requested_at),
  sso_enforced: organization.sso_enforced,
  default_presentment_currency: organization.default_presentment_currency,
  default_tax_behavior: organization.default_tax_behavior,
  feature_settings: { overview_metrics: null, ...organization.feature_settings },
  subscription_settings: organization.subscription_settings,
  customer_email_settings: organization.customer_email_settings,
  customer_portal_settings: organization.customer_portal_settings,
  dispute_settings: organization.dispute_settings,
  embed_hosts: organization.embed_hosts,
  embed_hosts_enforced: organization.embed_hosts_enforced,
  country: organization.country,
  account_id: organization.account_id,
  payout_account_id: organization.payout_account_id,
  capabilities: capabilitiesOf(organization.status),
});

/**
 * The organization on its state topic: what its members read, and the features that customers see where an
 * organization is embedded in what they read.
 */
export const presentState = (organization: Organization) => ({
  ...presentOrganization(organization),
  organization_features: {
    member_model_enabled: organization.feature_settings.member_model_enabled,
    checkout_localization_enabled: organization.feature_settings.checkout_localization_enabled,
  },
});

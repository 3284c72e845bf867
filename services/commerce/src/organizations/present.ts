import { hasFeature, type OrganizationCopy } from './organization.ts';

type ProrationBehavior = 'invoice' | 'prorate' | 'next_period' | 'reset';

/** The part of an organization that buyers see. */
export const presentOrganization = (organization: OrganizationCopy) => ({
  created_at: organization.created_at,
  modified_at: organization.modified_at,
  id: organization.id,
  name: organization.name,
  slug: organization.slug,
  avatar_url: organization.avatar_url,
  proration_behavior: organization.proration_behavior as ProrationBehavior,
  allow_customer_updates: organization.allow_customer_updates,
});

/** The organization as its customers see it in the portal. */
export const presentPortalOrganization = (organization: OrganizationCopy) => ({
  ...presentOrganization(organization),
  customer_portal_settings: organization.customer_portal_settings,
  organization_features: {
    member_model_enabled: hasFeature(organization, 'member_model_enabled'),
    checkout_localization_enabled: hasFeature(organization, 'checkout_localization_enabled'),
  },
});

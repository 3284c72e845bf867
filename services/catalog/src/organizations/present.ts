import type { OrganizationCopy } from '../replicas.ts';
import type { BenefitSubscriberOrganization } from './schema.ts';

export const presentOrganization = (organization: OrganizationCopy) =>
  ({
    created_at: organization.created_at,
    modified_at: organization.modified_at,
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    avatar_url: organization.avatar_url,
    proration_behavior: organization.proration_behavior,
    allow_customer_updates: organization.allow_customer_updates,
  }) as BenefitSubscriberOrganization;

/** The organization as its portal shows it. */
export const presentCustomerOrganization = (organization: OrganizationCopy) => ({
  ...presentOrganization(organization),
  customer_portal_settings: organization.customer_portal_settings,
  organization_features: {
    member_model_enabled: organization.feature_settings?.member_model_enabled === true,
    checkout_localization_enabled: organization.feature_settings?.checkout_localization_enabled === true,
  },
});

/** What commerce reads of an organization, as identity presents it. */
export interface OrganizationCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  name: string;
  slug: string;
  avatar_url: string | null;
  status: string;
  proration_behavior: string;
  allow_customer_updates: boolean;
  default_presentment_currency: string;
  default_tax_behavior: 'location' | 'inclusive' | 'exclusive';
  embed_hosts: readonly string[];
  embed_hosts_enforced: boolean;
  feature_settings: Readonly<Record<string, unknown>> | null;
  subscription_settings: {
    allow_multiple_subscriptions: boolean;
    prevent_trial_abuse: boolean;
    benefit_revocation_grace_period: number;
    proration_behavior?: string;
  };
  customer_email_settings: Readonly<Record<string, boolean>>;
  customer_portal_settings: {
    usage: { show: boolean };
    subscription: { update_seats: boolean; update_plan: boolean; pause?: boolean };
    customer?: { allow_email_change?: boolean };
  };
  capabilities: Readonly<Record<string, boolean>> | null;
}

/** Whether a feature is switched on. */
export const hasFeature = (organization: OrganizationCopy, feature: string): boolean =>
  organization.feature_settings?.[feature] === true;

/** Whether the organization's status lets it do this; an organization without the list can do everything. */
export const isCapable = (organization: OrganizationCopy, capability: string): boolean =>
  organization.capabilities?.[capability] ?? true;

/** Members are on unless an organization has switched them off. */
export const hasMembers = (organization: OrganizationCopy | undefined): boolean =>
  organization?.feature_settings?.member_model_enabled !== false;

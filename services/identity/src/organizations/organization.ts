import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { invalid, Problem, problemType } from '@tributary/runtime/http/problem.ts';
import type { OrganizationStatus } from './capabilities.ts';
import { changeFeatures, initialFeatures } from './features.ts';
import {
  type CustomerEmailSettings,
  type CustomerPortalSettings,
  type DisputeSettings,
  type DisputeSettingsUpdate,
  defaultDisputeSettings,
  defaultEmailSettings,
  defaultPortalSettings,
  defaultSubscriptionSettings,
  type FeatureSettings,
  type FeatureSettingsUpdate,
  type SubscriptionSettings,
} from './settings.ts';

export const CannotCreateOrganizationError = problemType('CannotCreateOrganizationError', 403);
export const DisputeAutoAcceptNotEnabled = problemType('DisputeAutoAcceptNotEnabled', 403);
export const SSOEnforcementRequiresConnection = problemType('SSOEnforcementRequiresConnection', 409);

export const taxBehaviors = ['location', 'inclusive', 'exclusive'] as const;
export type TaxBehavior = (typeof taxBehaviors)[number];

export interface Organization extends Recorded {
  name: string;
  slug: string;
  avatar_url: string | null;
  email: string | null;
  website: string | null;
  socials: { platform: string; url: string }[];
  status: OrganizationStatus;
  status_changed_at: Date;
  /** Volume in minor units at which the organization is reviewed next. */
  next_review_threshold: number;
  legal_entity: object | null;
  details: object | null;
  details_submitted_at: Date | null;
  onboarding_resubmission_requested_at: Date | null;
  sso_enforced: boolean;
  default_presentment_currency: string;
  default_tax_behavior: TaxBehavior;
  feature_settings: FeatureSettings;
  subscription_settings: SubscriptionSettings;
  customer_email_settings: CustomerEmailSettings;
  customer_portal_settings: CustomerPortalSettings;
  dispute_settings: DisputeSettings;
  embed_hosts: string[];
  embed_hosts_enforced: boolean;
  country: string | null;
  account_id: string | null;
  payout_account_id: string | null;
}

/** What a merchant may set when the organization is made. */
export interface NewOrganization {
  name: string;
  slug: string;
  avatar_url?: string | null;
  legal_entity?: object | null;
  email?: string | null;
  website?: string | null;
  socials?: Organization['socials'] | null;
  details?: object | null;
  country?: string | null;
  feature_settings?: FeatureSettingsUpdate | null;
  subscription_settings?: SubscriptionSettings | null;
  customer_email_settings?: CustomerEmailSettings | null;
  customer_portal_settings?: CustomerPortalSettings | null;
  default_presentment_currency?: string;
  default_tax_behavior?: TaxBehavior;
}

const FIRST_REVIEW_THRESHOLD = 0;

/**
 * A new organization with the defaults filled in.
 * @param status where it starts: a sandbox has no review
 */
export function newOrganization(
  id: string,
  input: NewOrganization,
  status: OrganizationStatus,
  now: Date,
): Organization {
  return {
    id,
    created_at: now,
    modified_at: null,
    name: input.name,
    slug: input.slug,
    avatar_url: input.avatar_url ?? null,
    email: input.email ?? null,
    website: input.website ?? null,
    socials: input.socials ?? [],
    status,
    status_changed_at: now,
    next_review_threshold: FIRST_REVIEW_THRESHOLD,
    legal_entity: input.legal_entity ?? null,
    details: input.details ?? null,
    details_submitted_at: input.details ? now : null,
    onboarding_resubmission_requested_at: null,
    sso_enforced: false,
    default_presentment_currency: input.default_presentment_currency ?? 'usd',
    default_tax_behavior: input.default_tax_behavior ?? 'location',
    feature_settings: initialFeatures(input.feature_settings ?? {}),
    subscription_settings: input.subscription_settings ?? defaultSubscriptionSettings,
    customer_email_settings: input.customer_email_settings ?? defaultEmailSettings,
    customer_portal_settings: input.customer_portal_settings ?? defaultPortalSettings,
    dispute_settings: defaultDisputeSettings,
    embed_hosts: [],
    embed_hosts_enforced: false,
    country: input.country ?? null,
    account_id: null,
    payout_account_id: null,
  };
}

/** What a merchant may change. Null clears what may be empty and leaves the rest as it is. */
export interface OrganizationChange {
  name?: string | null;
  avatar_url?: string | null;
  email?: string | null;
  website?: string | null;
  socials?: Organization['socials'] | null;
  details?: object | null;
  country?: string | null;
  feature_settings?: FeatureSettingsUpdate | null;
  subscription_settings?: SubscriptionSettings | null;
  customer_email_settings?: CustomerEmailSettings | null;
  customer_portal_settings?: CustomerPortalSettings | null;
  dispute_settings?: DisputeSettingsUpdate | null;
  embed_hosts?: string[] | null;
  default_presentment_currency?: string | null;
  default_tax_behavior?: TaxBehavior | null;
  sso_enforced?: boolean | null;
}

/** Facts from elsewhere that a change depends on. */
export interface ChangeContext {
  /** Whether every active product has a price in the new default currency. */
  isCurrencyPriced: boolean;
  now: Date;
}

/** The organization after a change: settings are replaced as a whole, features and dispute settings merged. */
export function changeOrganization(
  before: Organization,
  change: OrganizationChange,
  { isCurrencyPriced, now }: ChangeContext,
): Organization {
  if (change.sso_enforced) {
    throw new Problem(SSOEnforcementRequiresConnection, 'Single sign-on has no connection to enforce yet.');
  }
  const currency = change.default_presentment_currency ?? before.default_presentment_currency;
  if (currency !== before.default_presentment_currency && !isCurrencyPriced) {
    throw invalid(
      ['body', 'default_presentment_currency'],
      'Every active product needs a price in this currency first.',
      'value_error',
      currency,
    );
  }
  const details = change.details ?? before.details;
  return {
    ...before,
    modified_at: now,
    name: change.name ?? before.name,
    avatar_url: change.avatar_url === undefined ? before.avatar_url : change.avatar_url,
    email: change.email === undefined ? before.email : change.email,
    website: change.website === undefined ? before.website : change.website,
    country: change.country === undefined ? before.country : change.country,
    socials: change.socials ?? before.socials,
    details,
    details_submitted_at: before.details_submitted_at ?? (details ? now : null),
    feature_settings: changeFeatures(before.feature_settings, change.feature_settings ?? {}),
    subscription_settings: change.subscription_settings ?? before.subscription_settings,
    customer_email_settings: change.customer_email_settings ?? before.customer_email_settings,
    customer_portal_settings: change.customer_portal_settings ?? before.customer_portal_settings,
    dispute_settings: mergeDisputeSettings(before, change.dispute_settings ?? {}),
    embed_hosts: change.embed_hosts ?? before.embed_hosts,
    default_presentment_currency: currency,
    default_tax_behavior: change.default_tax_behavior ?? before.default_tax_behavior,
    sso_enforced: change.sso_enforced ?? before.sso_enforced,
  };
}

function mergeDisputeSettings(before: Organization, change: DisputeSettingsUpdate): DisputeSettings {
  if (change.auto_accept_below_amount != null && !before.feature_settings.dispute_auto_accept_enabled) {
    throw new Problem(DisputeAutoAcceptNotEnabled, 'Accepting disputes automatically is not enabled.');
  }
  return change.auto_accept_below_amount === undefined
    ? before.dispute_settings
    : { auto_accept_below_amount: change.auto_accept_below_amount };
}

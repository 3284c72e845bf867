import { presentmentCurrencies } from '@tributary/runtime/currencies.ts';
import { listOf, pagingShape, sortedBy } from '@tributary/runtime/http/paging.ts';
import { Id, Int32, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { organizationStatuses } from './capabilities.ts';
import { countries, knownCountries } from './countries.ts';
import { parseEmbedHost } from './embed-host.ts';
import { taxBehaviors } from './organization.ts';
import {
  CustomerEmailSettings,
  CustomerPortalSettings,
  DisputeSettings,
  DisputeSettingsUpdate,
  FeatureSettings,
  FeatureSettingsUpdate,
  SubscriptionSettings,
} from './settings.ts';
import { isReservedSlug, isSlug } from './slug.ts';

const WebUrl = z
  .url({ protocol: /^https?$/, hostname: /./ })
  .min(1)
  .max(2083)
  .meta({ format: 'uri' });
const Email = z.email().max(320);
const Country = z.enum(countries as [string, ...string[]]);
const Currency = z.enum(presentmentCurrencies).meta({ id: 'PresentmentCurrency' });
const TaxBehavior = z.enum(taxBehaviors).meta({ id: 'TaxBehaviorOption' });
const SocialLink = z
  .object({
    platform: z
      .enum([
        'x',
        'github',
        'facebook',
        'instagram',
        'youtube',
        'tiktok',
        'linkedin',
        'threads',
        'discord',
        'other',
      ])
      .meta({ id: 'OrganizationSocialPlatforms' }),
    url: WebUrl,
  })
  .meta({ id: 'OrganizationSocialLink' });

const Text = z.string().max(10_000);
const Words = z.array(z.string().max(255)).max(50);
const Details = z
  .object({
    about: Text.nullish().meta({ deprecated: true }),
    product_description: Text.nullish(),
    selling_categories: Words.optional(),
    pricing_models: Words.optional(),
    intended_use: Text.nullish().meta({ deprecated: true }),
    customer_acquisition: Words.optional().meta({ deprecated: true }),
    future_annual_revenue: Int32.min(0).nullish().meta({ deprecated: true }),
    switching: z.boolean().default(false),
    switching_from: z.enum(['paddle', 'lemon_squeezy', 'gumroad', 'stripe', 'other']).nullish(),
    previous_annual_revenue: Int32.min(0).nullish().meta({ deprecated: true }),
  })
  .meta({ id: 'OrganizationDetails' });

const LegalEntity = z.discriminatedUnion('type', [
  z.object({ type: z.literal('individual') }).meta({ id: 'OrganizationIndividualLegalEntitySchema' }),
  z
    .object({ type: z.literal('company'), registered_name: z.string().min(1).max(255) })
    .meta({ id: 'OrganizationCompanyLegalEntitySchema' }),
]);

const Name = z.string().trim().min(3).max(256);
const Slug = z
  .string()
  .min(3)
  .max(64)
  .transform((text) => text.toLowerCase())
  .refine(isSlug, { error: 'Use letters, digits and single hyphens between them' })
  .refine((slug) => !isReservedSlug(slug), { error: 'This slug is reserved' });
const EmbedHost = z
  .string()
  .max(2083)
  .refine((text) => parseEmbedHost(text) !== undefined, { error: 'Not the name of a host' })
  .transform((text) => parseEmbedHost(text)!);

export const OrganizationCreate = z
  .object({
    name: Name,
    slug: Slug,
    avatar_url: WebUrl.nullish(),
    legal_entity: LegalEntity.nullish(),
    email: Email.nullish(),
    website: WebUrl.nullish(),
    socials: z.array(SocialLink).max(20).nullish(),
    details: Details.nullish(),
    country: Country.nullish(),
    feature_settings: FeatureSettingsUpdate.nullish(),
    subscription_settings: SubscriptionSettings.nullish(),
    customer_email_settings: CustomerEmailSettings.nullish(),
    customer_portal_settings: CustomerPortalSettings.nullish(),
    default_presentment_currency: Currency.default('usd'),
    default_tax_behavior: TaxBehavior.default('location'),
  })
  .meta({ id: 'OrganizationCreate' });

export const OrganizationUpdate = z
  .object({
    name: Name.nullish(),
    avatar_url: WebUrl.nullish(),
    email: Email.nullish(),
    website: WebUrl.nullish(),
    socials: z.array(SocialLink).max(20).nullish(),
    details: Details.nullish(),
    country: Country.nullish(),
    feature_settings: FeatureSettingsUpdate.nullish(),
    subscription_settings: SubscriptionSettings.nullish(),
    customer_email_settings: CustomerEmailSettings.nullish(),
    customer_portal_settings: CustomerPortalSettings.nullish(),
    dispute_settings: DisputeSettingsUpdate.nullish(),
    embed_hosts: z.array(EmbedHost).max(100).nullish(),
    default_presentment_currency: Currency.nullish(),
    default_tax_behavior: TaxBehavior.nullish(),
    sso_enforced: z.boolean().nullish(),
  })
  .meta({ id: 'OrganizationUpdate' });

const Capabilities = z
  .object({
    checkout_payments: z.boolean(),
    subscription_renewals: z.boolean(),
    payouts: z.boolean(),
    refunds: z.boolean(),
    api_access: z.boolean(),
    dashboard_access: z.boolean(),
  })
  .meta({ id: 'OrganizationCapabilities' });

export const Organization = z
  .object({
    ...resourceShape,
    name: z.string(),
    slug: z.string(),
    avatar_url: z.string().nullable(),
    proration_behavior: z
      .enum(['invoice', 'prorate', 'next_period', 'reset'])
      .meta({ id: 'SubscriptionProrationBehavior' }),
    allow_customer_updates: z.boolean(),
    email: z.string().nullable(),
    website: z.string().nullable(),
    socials: z.array(SocialLink),
    status: z.enum(organizationStatuses).meta({ id: 'OrganizationStatus' }),
    details_submitted_at: Timestamp.nullable(),
    onboarding_resubmission_requested_at: Timestamp.nullable(),
    sso_enforced: z.boolean(),
    default_presentment_currency: z.string(),
    default_tax_behavior: TaxBehavior,
    feature_settings: FeatureSettings.nullable(),
    subscription_settings: SubscriptionSettings,
    customer_email_settings: CustomerEmailSettings,
    customer_portal_settings: CustomerPortalSettings,
    dispute_settings: DisputeSettings,
    embed_hosts: z.array(z.string()),
    embed_hosts_enforced: z.boolean(),
    country: z.enum(knownCountries as [string, ...string[]]).nullish(),
    account_id: Id.nullable(),
    payout_account_id: Id.nullable(),
    capabilities: Capabilities,
  })
  .meta({ id: 'Organization' });
export type OrganizationWire = z.input<typeof Organization>;

export const OrganizationList = listOf(Organization);

export const sortKeys = ['created_at', 'slug', 'name', 'next_review_threshold', 'days_in_status'] as const;
export type SortKey = (typeof sortKeys)[number];

export const OrganizationQuery = z.object({
  ...pagingShape,
  slug: z.string().max(64).optional(),
  sorting: sortedBy('OrganizationSortProperty', sortKeys, ['created_at']),
});

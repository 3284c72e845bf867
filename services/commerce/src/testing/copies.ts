import { newId } from '@tributary/proto/id.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import type { Price } from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';
import type { MeterCopy } from '../subscriptions/present.ts';

/** Records of other services, as their owners present them. */

const since = { created_at: '2026-01-01T00:00:00.000Z', modified_at: null };

export type OrganizationGiven = Partial<OrganizationCopy>;

export function organizationCopy(given: OrganizationGiven = {}): OrganizationCopy {
  const id = newId();
  return {
    id,
    ...since,
    name: 'Acme',
    slug: `acme-${id.slice(0, 13)}`,
    avatar_url: null,
    status: 'active',
    proration_behavior: 'prorate',
    allow_customer_updates: true,
    default_presentment_currency: 'usd',
    default_tax_behavior: 'location',
    embed_hosts: [],
    embed_hosts_enforced: false,
    feature_settings: { member_model_enabled: true, seat_based_pricing_enabled: true },
    subscription_settings: {
      allow_multiple_subscriptions: true,
      prevent_trial_abuse: false,
      benefit_revocation_grace_period: 0,
    },
    customer_email_settings: { order_confirmation: true, subscription_confirmation: true },
    customer_portal_settings: {
      usage: { show: true },
      subscription: { update_seats: true, update_plan: true },
    },
    capabilities: null,
    ...given,
  };
}

type PriceGiven = Partial<Price> & Pick<Price, 'amount_type'>;
export type ProductGiven = Partial<Omit<ProductCopy, 'prices'>> & { prices?: PriceGiven[] };

/** A product sold once at 10.00 USD, or what is given. */
export function productCopy({ prices, ...given }: ProductGiven = {}): ProductCopy {
  const id = given.id ?? newId();
  const recurring_interval = given.recurring_interval ?? null;
  return {
    id,
    ...since,
    trial_interval: null,
    trial_interval_count: null,
    name: 'Pro',
    description: null,
    visibility: 'public',
    recurring_interval,
    recurring_interval_count: recurring_interval && 1,
    meter_interval: null,
    meter_interval_count: null,
    is_recurring: recurring_interval !== null,
    is_archived: false,
    organization_id: newId(),
    metadata: {},
    benefits: [],
    medias: [],
    attached_custom_fields: [],
    ...given,
    prices: (prices ?? [fixed(1_000)]).map((price) => priceCopy(id, price)),
  };
}

const priceCopy = (product_id: string, given: PriceGiven): Price =>
  ({
    id: newId(),
    ...since,
    source: 'catalog',
    price_currency: 'usd',
    tax_behavior: null,
    is_archived: false,
    product_id,
    ...given,
  }) as Price;

export const fixed = (price_amount: number, price_currency = 'usd'): PriceGiven => ({
  amount_type: 'fixed',
  price_amount,
  price_currency,
});

export const seatBased = (price_per_seat: number): PriceGiven => ({
  amount_type: 'seat_based',
  seat_tiers: {
    seat_tier_type: 'volume',
    tiers: [{ min_seats: 1, max_seats: null, price_per_seat }],
    minimum_seats: 1,
    maximum_seats: null,
  },
});

export const custom = (minimum_amount: number, maximum_amount: number | null = null): PriceGiven => ({
  amount_type: 'custom',
  minimum_amount,
  maximum_amount,
  preset_amount: null,
});

export const metered = (meter: MeterCopy, unit_amount: string): PriceGiven => ({
  amount_type: 'metered_unit',
  unit_amount,
  cap_amount: null,
  meter_id: meter.id,
  meter: { id: meter.id, name: meter.name, unit: 'scalar', custom_label: null, custom_multiplier: null },
});

export const meterCopy = (given: Partial<MeterCopy> = {}): MeterCopy => ({
  id: newId(),
  ...since,
  name: 'API calls',
  unit: 'scalar',
  custom_label: null,
  custom_multiplier: null,
  archived_at: null,
  organization_id: newId(),
  ...given,
});

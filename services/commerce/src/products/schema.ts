import { Id, Metadata, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { intervals } from '@tributary/runtime/period.ts';
import { z } from 'zod';

const readOnlyInt = z.int().meta({ readOnly: true });
const readOnlyText = z.string().meta({ readOnly: true });
const isLegacy = z.literal(true).meta({ readOnly: true });

/** Products inside other resources, as the contract writes them. The catalog owns products and checks them. */

export const RecurringInterval = z.enum(intervals).meta({ id: 'RecurringInterval' });
export const TrialInterval = z.enum(intervals).meta({ id: 'TrialInterval' });
const ProductVisibility = z.enum(['draft', 'private', 'public']).meta({ id: 'ProductVisibility' });
const ProductPriceSource = z.enum(['catalog', 'ad_hoc']).meta({ id: 'ProductPriceSource' });
export const TaxBehaviorOption = z
  .enum(['location', 'inclusive', 'exclusive'])
  .meta({ id: 'TaxBehaviorOption' });
export const SeatTierType = z.enum(['volume', 'graduated']).meta({ id: 'SeatTierType' });
export const MeterUnit = z.enum(['scalar', 'token', 'custom']).meta({ id: 'MeterUnit' });

const ProductPriceMeter = z
  .object({
    id: Id,
    name: z.string(),
    unit: MeterUnit,
    custom_label: z.string().nullable(),
    custom_multiplier: z.int().nullable(),
  })
  .meta({ id: 'ProductPriceMeter' });

export const ProductPriceSeatTier = z
  .object({
    min_seats: z.int32().min(1),
    max_seats: z.int32().min(1).nullish(),
    price_per_seat: z.int32().min(0),
  })
  .meta({ id: 'ProductPriceSeatTier' });
const SeatTiersOutput = z
  .object({
    seat_tier_type: SeatTierType.optional(),
    tiers: z.array(ProductPriceSeatTier).min(1),
    minimum_seats: readOnlyInt,
    maximum_seats: z.int().nullable(),
  })
  .meta({ id: 'ProductPriceSeatTiers-Output' });

const common = { ...resourceShape, source: ProductPriceSource };
const terms = {
  price_currency: z.string(),
  tax_behavior: TaxBehaviorOption.nullable(),
  is_archived: z.boolean(),
  product_id: Id,
};
const legacy = { type: z.literal('recurring'), recurring_interval: RecurringInterval };
const customAmounts = {
  minimum_amount: z.int(),
  maximum_amount: z.int().nullable(),
  preset_amount: z.int().nullable(),
};

const ProductPrice = z
  .discriminatedUnion('amount_type', [
    z
      .object({ ...common, amount_type: z.literal('fixed'), ...terms, price_amount: z.int() })
      .meta({ id: 'ProductPriceFixed' }),
    z
      .object({ ...common, amount_type: z.literal('custom'), ...terms, ...customAmounts })
      .meta({ id: 'ProductPriceCustom' }),
    z
      .object({ ...common, amount_type: z.literal('seat_based'), ...terms, seat_tiers: SeatTiersOutput })
      .meta({ id: 'ProductPriceSeatBased' }),
    z
      .object({
        ...common,
        amount_type: z.literal('metered_unit'),
        ...terms,
        unit_amount: z.string().regex(/^[+-]?\d*\.?\d*$/),
        cap_amount: z.int().nullable(),
        meter_id: Id,
        meter: ProductPriceMeter,
      })
      .meta({ id: 'ProductPriceMeteredUnit' }),
  ])
  .meta({ id: 'ProductPrice' });

const LegacyRecurringProductPrice = z
  .discriminatedUnion('amount_type', [
    z
      .object({
        ...common,
        amount_type: z.literal('fixed'),
        ...terms,
        ...legacy,
        price_amount: z.int(),
        legacy: isLegacy,
      })
      .meta({ id: 'LegacyRecurringProductPriceFixed' }),
    z
      .object({
        ...common,
        amount_type: z.literal('custom'),
        ...terms,
        ...legacy,
        ...customAmounts,
        legacy: isLegacy,
      })
      .meta({ id: 'LegacyRecurringProductPriceCustom' }),
  ])
  .meta({ id: 'LegacyRecurringProductPrice' });

export const AnyPrice = z.union([LegacyRecurringProductPrice, ProductPrice]);

export const BenefitTypeShape = z
  .enum([
    'custom',
    'discord',
    'github_repository',
    'downloadables',
    'license_keys',
    'meter_credit',
    'feature_flag',
    'slack_shared_channel',
  ])
  .meta({ id: 'BenefitType' });

const BenefitPublic = z
  .object({
    ...resourceShape,
    type: BenefitTypeShape,
    description: z.string(),
    selectable: z.boolean(),
    deletable: z.boolean(),
    is_deleted: z.boolean(),
    organization_id: Id,
  })
  .meta({ id: 'BenefitPublic' });

const ProductMediaFileRead = z
  .object({
    id: Id,
    organization_id: Id,
    name: z.string(),
    path: z.string(),
    mime_type: z.string(),
    size: z.int(),
    storage_version: z.string().nullable(),
    checksum_etag: z.string().nullable(),
    checksum_sha256_base64: z.string().nullable(),
    checksum_sha256_hex: z.string().nullable(),
    last_modified_at: Timestamp.nullable(),
    version: z.string().nullable(),
    service: z.literal('product_media'),
    is_uploaded: z.boolean(),
    created_at: Timestamp,
    size_readable: readOnlyText,
    public_url: readOnlyText,
  })
  .meta({ id: 'ProductMediaFileRead' });

export const productShape = {
  ...resourceShape,
  trial_interval: TrialInterval.nullable(),
  trial_interval_count: z.int().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  visibility: ProductVisibility,
  recurring_interval: RecurringInterval.nullable(),
  recurring_interval_count: z.int().nullable(),
  meter_interval: RecurringInterval.nullable(),
  meter_interval_count: z.int().nullable(),
  is_recurring: z.boolean(),
  is_archived: z.boolean(),
  organization_id: Id,
};
/** What a buyer sees besides. */
export const offerShape = {
  prices: z.array(AnyPrice),
  benefits: z.array(BenefitPublic),
  medias: z.array(ProductMediaFileRead),
};

export const CheckoutProduct = z.object({ ...productShape, ...offerShape }).meta({ id: 'CheckoutProduct' });
export const OrderProduct = z.object({ metadata: Metadata, ...productShape }).meta({ id: 'OrderProduct' });

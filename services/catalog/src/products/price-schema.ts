import { presentmentCurrencies } from '@tributary/runtime/currencies.ts';
import { isDecimal, parseDecimal, toWire } from '@tributary/runtime/decimal.ts';
import { Id, Int32, resourceShape } from '@tributary/runtime/http/wire.ts';
import { minimumCharge } from '@tributary/runtime/money.ts';
import { intervals } from '@tributary/runtime/period.ts';
import { z } from 'zod';
import { type PriceTerms, type TaxBehavior, taxBehaviors } from './price.ts';

export const RecurringInterval = z.enum(intervals).meta({ id: 'RecurringInterval' });
const PresentmentCurrency = z.enum(presentmentCurrencies).meta({ id: 'PresentmentCurrency' });
const TaxBehaviorOption = z.enum(taxBehaviors).meta({ id: 'TaxBehaviorOption' });
const ProductPriceSource = z.enum(['catalog', 'ad_hoc']).meta({ id: 'ProductPriceSource' });
const SeatTierType = z.enum(['volume', 'graduated']).meta({ id: 'SeatTierType' });
const MeterUnit = z.enum(['scalar', 'token', 'custom']).meta({ id: 'MeterUnit' });

const MAX_TIERS = 1_000;
const atLeast = (least: number) => z.int32().min(least);

const ProductPriceSeatTier = z
  .object({ min_seats: atLeast(1), max_seats: atLeast(1).nullish(), price_per_seat: atLeast(0) })
  .meta({ id: 'ProductPriceSeatTier' });

const commonShape = {
  ...resourceShape,
  source: ProductPriceSource,
  price_currency: z.string(),
  tax_behavior: TaxBehaviorOption.nullable(),
  is_archived: z.boolean(),
  product_id: Id,
};
const fixedShape = { amount_type: z.literal('fixed'), price_amount: z.int() };
const customShape = {
  amount_type: z.literal('custom'),
  minimum_amount: z.int(),
  maximum_amount: z.int().nullable(),
  preset_amount: z.int().nullable(),
};
const legacyShape = {
  type: z.literal('recurring'),
  recurring_interval: RecurringInterval,
  legacy: z.literal(true).meta({ readOnly: true }),
};

const ProductPriceMeter = z
  .object({
    id: Id,
    name: z.string(),
    unit: MeterUnit,
    custom_label: z.string().nullable(),
    custom_multiplier: z.int().nullable(),
  })
  .meta({ id: 'ProductPriceMeter' });

const SeatTiers = z
  .object({
    seat_tier_type: SeatTierType.optional(),
    tiers: z.array(ProductPriceSeatTier).min(1),
    minimum_seats: z.int().meta({ readOnly: true }),
    maximum_seats: z.int().nullable(),
  })
  .meta({ id: 'ProductPriceSeatTiers-Output' });

export const ProductPrice = z
  .discriminatedUnion('amount_type', [
    z.object({ ...commonShape, ...fixedShape }).meta({ id: 'ProductPriceFixed' }),
    z.object({ ...commonShape, ...customShape }).meta({ id: 'ProductPriceCustom' }),
    z
      .object({ ...commonShape, amount_type: z.literal('seat_based'), seat_tiers: SeatTiers })
      .meta({ id: 'ProductPriceSeatBased' }),
    z
      .object({
        ...commonShape,
        amount_type: z.literal('metered_unit'),
        unit_amount: z.string().regex(/^[+-]?\d*\.?\d*$/),
        cap_amount: z.int().nullable(),
        meter_id: Id,
        meter: ProductPriceMeter,
      })
      .meta({ id: 'ProductPriceMeteredUnit' }),
  ])
  .meta({ id: 'ProductPrice' });

export const LegacyRecurringProductPrice = z
  .discriminatedUnion('amount_type', [
    z
      .object({ ...commonShape, ...fixedShape, ...legacyShape })
      .meta({ id: 'LegacyRecurringProductPriceFixed' }),
    z
      .object({ ...commonShape, ...customShape, ...legacyShape })
      .meta({ id: 'LegacyRecurringProductPriceCustom' }),
  ])
  .meta({ id: 'LegacyRecurringProductPrice' });

export const AnyProductPrice = z.union([LegacyRecurringProductPrice, ProductPrice]);
export type PriceWire = z.output<typeof AnyProductPrice>;

const UNIT_BOUNDS = { integerDigits: 5, fractionDigits: 12 };
const UnitAmount = z
  .union([z.number(), z.string().max(40)])
  .refine((value) => isDecimal(value, UNIT_BOUNDS) && parseDecimal(value).gt(0), {
    error: 'Must be a decimal above 0 with at most 5 digits before and 12 after the point.',
  })
  .transform((value) => toWire(parseDecimal(value, UNIT_BOUNDS)));

const createShape = {
  price_currency: PresentmentCurrency.default('usd'),
  tax_behavior: TaxBehaviorOption.nullish(),
};
const FixedCreate = z
  .object({ ...createShape, amount_type: z.literal('fixed'), price_amount: atLeast(0) })
  .meta({ id: 'ProductPriceFixedCreate' });
/** Clients of older releases ask for a free price by its own name. */
const FreeCreate = z.object({ ...createShape, amount_type: z.literal('free') });
const CustomCreate = z
  .object({
    ...createShape,
    amount_type: z.literal('custom'),
    minimum_amount: atLeast(0).optional().meta({ default: 50 }),
    maximum_amount: atLeast(1).nullish(),
    preset_amount: atLeast(0).nullish(),
  })
  .meta({ id: 'ProductPriceCustomCreate' });
const SeatBasedCreate = z
  .object({
    ...createShape,
    amount_type: z.literal('seat_based'),
    seat_tiers: z
      .object({
        seat_tier_type: SeatTierType.default('volume'),
        tiers: z.array(ProductPriceSeatTier).min(1).max(MAX_TIERS),
      })
      .meta({ id: 'ProductPriceSeatTiers-Input' }),
  })
  .meta({ id: 'ProductPriceSeatBasedCreate' });
const MeteredCreate = z
  .object({
    ...createShape,
    amount_type: z.literal('metered_unit'),
    meter_id: Id,
    unit_amount: UnitAmount,
    cap_amount: Int32.min(0).nullish(),
  })
  .meta({ id: 'ProductPriceMeteredUnitCreate' });

export const PriceCreate = z.discriminatedUnion('amount_type', [
  FixedCreate,
  FreeCreate,
  CustomCreate,
  SeatBasedCreate,
  MeteredCreate,
]);
export type PriceCreate = z.output<typeof PriceCreate>;

const NO_TERMS = {
  price_amount: null,
  minimum_amount: null,
  maximum_amount: null,
  preset_amount: null,
  seat_tiers: null,
  meter_id: null,
  unit_amount: null,
  cap_amount: null,
} as const;
const DEFAULT_MINIMUM = 50;

/** The terms a request asks for, with defaults filled in; a minimum nobody named is one that can be charged. */
export function termsOf(input: PriceCreate): PriceTerms {
  const { price_currency, tax_behavior } = input;
  const common = { ...NO_TERMS, price_currency, tax_behavior: taxBehaviorOf(tax_behavior) };
  switch (input.amount_type) {
    case 'free':
      return { ...common, amount_type: 'fixed', price_amount: 0 };
    case 'fixed':
      return { ...common, amount_type: 'fixed', price_amount: input.price_amount };
    case 'custom':
      return {
        ...common,
        amount_type: 'custom',
        minimum_amount: input.minimum_amount ?? Math.max(DEFAULT_MINIMUM, minimumCharge(price_currency)),
        maximum_amount: input.maximum_amount ?? null,
        preset_amount: input.preset_amount ?? null,
      };
    case 'seat_based': {
      const tiers = input.seat_tiers.tiers.map((tier) => ({ ...tier, max_seats: tier.max_seats ?? null }));
      return {
        ...common,
        amount_type: 'seat_based',
        seat_tiers: { seat_tier_type: input.seat_tiers.seat_tier_type, tiers },
      };
    }
    case 'metered_unit':
      return {
        ...common,
        amount_type: 'metered_unit',
        meter_id: input.meter_id,
        unit_amount: input.unit_amount,
        cap_amount: input.cap_amount ?? null,
      };
  }
}

/** `location` says what null says. */
const taxBehaviorOf = (option: (typeof taxBehaviors)[number] | null | undefined): TaxBehavior | null =>
  option === 'inclusive' || option === 'exclusive' ? option : null;

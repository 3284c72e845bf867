import { presentmentCurrencies } from '@tributary/runtime/currencies.ts';
import { isDecimal, parseDecimal, toWire } from '@tributary/runtime/decimal.ts';
import { Id, Int32 } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

/** Prices as a merchant writes them, here for one session only. */

export const PresentmentCurrency = z.enum(presentmentCurrencies).meta({ id: 'PresentmentCurrency' });

const TaxBehaviorOption = z.enum(['location', 'inclusive', 'exclusive']).meta({ id: 'TaxBehaviorOption' });
const SeatTierType = z.enum(['volume', 'graduated']).meta({ id: 'SeatTierType' });

const MAX_TIERS = 1_000;
const MAX_PRICES = 1_000;
const atLeast = (least: number) => z.int32().min(least);

const ProductPriceSeatTier = z
  .object({ min_seats: atLeast(1), max_seats: atLeast(1).nullish(), price_per_seat: atLeast(0) })
  .meta({ id: 'ProductPriceSeatTier' });

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

const PriceCreate = z.discriminatedUnion('amount_type', [
  FixedCreate,
  CustomCreate,
  SeatBasedCreate,
  MeteredCreate,
]);
export type PriceCreate = z.output<typeof PriceCreate>;

/** Prices of one session, by product. */
export const AdHocPrices = z.record(Id, z.array(PriceCreate).min(1).max(MAX_PRICES));
export type AdHocPrices = z.output<typeof AdHocPrices>;

import { Currency, Id, Metadata, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

/** Discounts inside orders, subscriptions and checkouts, as the contract writes them. */

const DiscountDuration = z.enum(['once', 'forever', 'repeating']).meta({ id: 'DiscountDuration' });
const DiscountType = z.enum(['fixed', 'percentage']).meta({ id: 'DiscountType' });

const lasting = { duration: DiscountDuration };
const repeating = { ...lasting, duration_in_months: z.int() };
const fixed = {
  type: DiscountType,
  amount: z.int().meta({ deprecated: true }),
  currency: Currency.meta({ deprecated: true }),
  amounts: z.record(z.string(), z.int()),
};
const percentage = { type: DiscountType, basis_points: z.int() };

const record = {
  ...resourceShape,
  metadata: Metadata,
  name: z.string(),
  code: z.string().nullable(),
  starts_at: Timestamp.nullable(),
  ends_at: Timestamp.nullable(),
  max_redemptions: z.int().nullable(),
  max_redemptions_per_customer: z.int().nullable(),
  redemptions_count: z.int(),
  organization_id: Id,
};
const brief = { id: Id, name: z.string(), code: z.string().nullable() };

export const Discount = z.union([
  z.object({ ...lasting, ...fixed, ...record }).meta({ id: 'DiscountFixedOnceForeverDurationBase' }),
  z.object({ ...repeating, ...fixed, ...record }).meta({ id: 'DiscountFixedRepeatDurationBase' }),
  z
    .object({ ...lasting, ...percentage, ...record })
    .meta({ id: 'DiscountPercentageOnceForeverDurationBase' }),
  z.object({ ...repeating, ...percentage, ...record }).meta({ id: 'DiscountPercentageRepeatDurationBase' }),
]);

export const CheckoutDiscount = z.union([
  z.object({ ...lasting, ...fixed, ...brief }).meta({ id: 'CheckoutDiscountFixedOnceForeverDuration' }),
  z.object({ ...repeating, ...fixed, ...brief }).meta({ id: 'CheckoutDiscountFixedRepeatDuration' }),
  z
    .object({ ...lasting, ...percentage, ...brief })
    .meta({ id: 'CheckoutDiscountPercentageOnceForeverDuration' }),
  z
    .object({ ...repeating, ...percentage, ...brief })
    .meta({ id: 'CheckoutDiscountPercentageRepeatDuration' }),
]);

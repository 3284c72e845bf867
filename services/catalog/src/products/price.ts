import { newId } from '@tributary/proto/id.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { maximumCharge, minimumCharge } from '@tributary/runtime/money.ts';
import type { Interval } from '@tributary/runtime/period.ts';

export const amountTypes = ['fixed', 'custom', 'seat_based', 'metered_unit'] as const;
export type AmountType = (typeof amountTypes)[number];

export const taxBehaviors = ['location', 'inclusive', 'exclusive'] as const;
export type TaxBehavior = Exclude<(typeof taxBehaviors)[number], 'location'>;

export interface SeatTier {
  min_seats: number;
  max_seats: number | null;
  price_per_seat: number;
}
export interface SeatTiers {
  seat_tier_type: 'volume' | 'graduated';
  tiers: SeatTier[];
}

/** What a price asks for; members that its `amount_type` does not use are null. Amounts are in minor units. */
export interface PriceTerms {
  amount_type: AmountType;
  price_currency: string;
  /** Null lets the organization's default or the buyer's location decide. */
  tax_behavior: TaxBehavior | null;
  price_amount: number | null;
  minimum_amount: number | null;
  maximum_amount: number | null;
  preset_amount: number | null;
  seat_tiers: SeatTiers | null;
  meter_id: string | null;
  /** Decimal text: minor units for one unit of the meter. */
  unit_amount: string | null;
  cap_amount: number | null;
}

export interface Price extends Recorded, PriceTerms {
  product_id: string;
  position: number;
  source: 'catalog' | 'ad_hoc';
  is_archived: boolean;
  /** Set on prices from before products had an interval of their own. */
  legacy_recurring_interval: Interval | null;
}

export const newPrice = (
  productId: string,
  terms: PriceTerms,
  position: number,
  now: Date,
  source: Price['source'] = 'catalog',
): Price => ({
  ...terms,
  id: newId(),
  created_at: now,
  modified_at: null,
  product_id: productId,
  position,
  source,
  is_archived: false,
  legacy_recurring_interval: null,
});

/** A rule that a price breaks: where, below the price, and what it asks for. */
export interface PriceFault {
  path: (string | number)[];
  msg: string;
}

/** The faults of one price by itself. */
export function priceFaults(price: PriceTerms): PriceFault[] {
  switch (price.amount_type) {
    case 'fixed':
      return fixedFaults(price);
    case 'custom':
      return customFaults(price);
    case 'seat_based':
      return tierFaults(price.seat_tiers?.tiers ?? [], maximumCharge(price.price_currency));
    case 'metered_unit':
      return [];
  }
}

function fixedFaults({ price_amount, price_currency }: PriceTerms): PriceFault[] {
  const amount = price_amount ?? 0;
  const least = minimumCharge(price_currency);
  const most = maximumCharge(price_currency);
  if (amount === 0 || (amount >= least && amount <= most)) return [];
  return [
    { path: ['price_amount'], msg: `Must be 0 or between ${least} and ${most} for ${price_currency}.` },
  ];
}

function customFaults(price: PriceTerms): PriceFault[] {
  const least = minimumCharge(price.price_currency);
  const most = maximumCharge(price.price_currency);
  const minimum = price.minimum_amount ?? 0;
  const { maximum_amount: maximum, preset_amount: preset } = price;
  const faults: PriceFault[] = [];
  if (minimum !== 0 && (minimum < least || minimum > most))
    faults.push({ path: ['minimum_amount'], msg: `Must be 0 or between ${least} and ${most}.` });
  if (maximum !== null && (maximum < minimum || maximum > most))
    faults.push({ path: ['maximum_amount'], msg: `Must be between the minimum and ${most}.` });
  if (preset !== null && preset !== 0 && (preset < minimum || preset > (maximum ?? most)))
    faults.push({ path: ['preset_amount'], msg: 'Must be 0 or between the minimum and the maximum.' });
  return faults;
}

function tierFaults(tiers: readonly SeatTier[], most: number): PriceFault[] {
  return tiers.flatMap((tier, index) => {
    const at = (field: string, msg: string): PriceFault => ({
      path: ['seat_tiers', 'tiers', index, field],
      msg,
    });
    const previous = tiers[index - 1];
    const faults: PriceFault[] = [];
    if (previous && tier.min_seats !== (previous.max_seats ?? Number.NaN) + 1)
      faults.push(at('min_seats', 'Each tier must start right after the previous one.'));
    if (tier.max_seats === null && index < tiers.length - 1)
      faults.push(at('max_seats', 'Only the last tier may be unbounded.'));
    if (tier.max_seats !== null && tier.max_seats < tier.min_seats)
      faults.push(at('max_seats', 'Must not be below min_seats.'));
    if (tier.price_per_seat > most) faults.push(at('price_per_seat', `Must be at most ${most}.`));
    return faults;
  });
}

export interface PriceSetContext {
  isRecurring: boolean;
  defaultCurrency: string;
  hasSeatPricing: boolean;
}

/** The faults of a product's prices together; each path starts with the index of the price it blames, if one. */
export function priceSetFaults(prices: readonly PriceTerms[], context: PriceSetContext): PriceFault[] {
  if (prices.length === 0) return [{ path: [], msg: 'At least one price is required.' }];
  return [
    ...prices.flatMap((price, index) =>
      [...priceFaults(price), ...settingFaults(price, context)].map(({ path, msg }) => ({
        path: [index, ...path],
        msg,
      })),
    ),
    ...repetitionFaults(prices),
    ...currencyFaults(prices, context.defaultCurrency),
  ];
}

function settingFaults(price: PriceTerms, { isRecurring, hasSeatPricing }: PriceSetContext): PriceFault[] {
  if (price.amount_type === 'metered_unit' && !isRecurring)
    return [{ path: ['amount_type'], msg: 'Metered prices need a recurring product.' }];
  if (price.amount_type === 'seat_based' && !hasSeatPricing)
    return [{ path: ['amount_type'], msg: 'Seat-based pricing is not enabled for this organization.' }];
  return [];
}

/** What may stand once per currency; a custom price also takes the place of fixed and seat prices. */
function repetitionFaults(prices: readonly PriceTerms[]): PriceFault[] {
  const seen = new Set<string>();
  const has = (price: PriceTerms, type: AmountType) => seen.has(`${price.price_currency} ${type}`);
  return prices.flatMap((price, index) => {
    const slot = `${price.price_currency} ${slotOf(price)}`;
    const clashes =
      price.amount_type === 'custom'
        ? has(price, 'fixed') || has(price, 'seat_based')
        : price.amount_type !== 'metered_unit' && has(price, 'custom');
    const repeats = seen.has(slot);
    seen.add(slot);
    if (repeats && price.amount_type === 'metered_unit')
      return [{ path: [index, 'meter_id'], msg: 'A meter can have one price per currency.' }];
    if (repeats)
      return [{ path: [index], msg: `Only one ${price.amount_type} price per currency is allowed.` }];
    if (clashes)
      return [{ path: [index], msg: 'A custom price cannot be combined with fixed or seat-based prices.' }];
    return [];
  });
}

const slotOf = (price: PriceTerms): string =>
  price.amount_type === 'metered_unit' ? `metered_unit ${price.meter_id}` : price.amount_type;

/** Every currency offers the same, the default currency among them, under one tax behaviour each. */
function currencyFaults(prices: readonly PriceTerms[], defaultCurrency: string): PriceFault[] {
  const byCurrency = Map.groupBy(prices, (price) => price.price_currency);
  const faults: PriceFault[] = [];
  if (!byCurrency.has(defaultCurrency))
    faults.push({ path: [], msg: `A price in the default currency ${defaultCurrency} is required.` });
  const offers = new Set([...byCurrency.values()].map((group) => group.map(slotOf).sort().join('\n')));
  if (offers.size > 1)
    faults.push({ path: [], msg: 'Every currency must offer the same types of prices and the same meters.' });
  for (const [currency, group] of byCurrency) {
    if (new Set(group.map((price) => price.tax_behavior)).size > 1)
      faults.push({ path: [], msg: `All prices in ${currency} must have the same tax behavior.` });
  }
  return faults;
}

/** What lists sort a product by: its first price, and the amount where that is known beforehand. */
export function leadingAmount(prices: readonly PriceTerms[]): { type: AmountType; amount: number | null } {
  const first = prices.find((price) => price.amount_type !== 'metered_unit') ?? prices[0]!;
  const amount =
    first.price_amount ?? first.minimum_amount ?? first.seat_tiers?.tiers[0]?.price_per_seat ?? null;
  return { type: first.amount_type, amount };
}

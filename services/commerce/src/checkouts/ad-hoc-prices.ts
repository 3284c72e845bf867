import { newId } from '@tributary/proto/id.ts';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { maximumCharge, minimumCharge } from '@tributary/runtime/money.ts';
import { hasFeature } from '../organizations/organization.ts';
import type { Price, SeatTier } from '../products/price.ts';
import type { AdHocPrices, PriceCreate } from '../products/price-create-schema.ts';
import type { MeterCopy } from '../subscriptions/present.ts';
import type { Offer } from './checkout.ts';

interface Fault {
  path: (string | number)[];
  msg: string;
}

/**
 * Prices that hold for one session, by product. They obey the rules of catalog prices (domain rules 4.2 and 4.3);
 * every breach is an issue (422) at its place.
 */
export function adHocPrices(
  input: AdHocPrices,
  offer: Offer,
  meters: ReadonlyMap<string, MeterCopy>,
  now: Date,
): Record<string, Price[]> {
  const issues: Issue[] = [];
  const made: Record<string, Price[]> = {};
  for (const [productId, prices] of Object.entries(input)) {
    for (const { path, msg } of faultsOf(productId, prices, offer, meters)) {
      issues.push({ loc: ['body', 'prices', productId, ...path], msg, type: 'value_error' });
    }
    if (issues.length === 0) made[productId] = prices.map((price) => newPrice(price, productId, meters, now));
  }
  if (issues.length > 0) throw new ValidationProblem(issues);
  return made;
}

function faultsOf(
  productId: string,
  prices: readonly PriceCreate[],
  { organization, products }: Offer,
  meters: ReadonlyMap<string, MeterCopy>,
): Fault[] {
  const product = products.find(({ id }) => id === productId);
  if (!product) return [{ path: [], msg: 'The product is not part of this checkout.' }];
  const single = prices.flatMap((price, index) => {
    const faults = priceFaults(price);
    if (price.amount_type === 'metered_unit') {
      if (!product.is_recurring)
        faults.push({ path: ['amount_type'], msg: 'Metered prices need a recurring product.' });
      if (!isLive(meters.get(price.meter_id)))
        faults.push({ path: ['meter_id'], msg: 'Meter does not exist.' });
    }
    if (price.amount_type === 'seat_based' && !hasFeature(organization, 'seat_based_pricing_enabled'))
      faults.push({ path: ['amount_type'], msg: 'Seat-based pricing is not enabled for this organization.' });
    return faults.map(({ path, msg }) => ({ path: [index, ...path], msg }));
  });
  return [
    ...single,
    ...repetitionFaults(prices),
    ...currencyFaults(prices, organization.default_presentment_currency),
  ];
}

const isLive = (meter: MeterCopy | undefined) => meter !== undefined && meter.archived_at === null;

function priceFaults(price: PriceCreate): Fault[] {
  const least = minimumCharge(price.price_currency);
  const most = maximumCharge(price.price_currency);
  switch (price.amount_type) {
    case 'fixed': {
      const { price_amount: amount } = price;
      const isFine = amount === 0 || (amount >= least && amount <= most);
      return isFine ? [] : [{ path: ['price_amount'], msg: `Must be 0 or between ${least} and ${most}.` }];
    }
    case 'custom':
      return customFaults(price, least, most);
    case 'seat_based':
      return price.seat_tiers.tiers.flatMap((tier, index, tiers) =>
        tierFaults(tier, tiers[index - 1], index === tiers.length - 1, most).map(({ path, msg }) => ({
          path: ['seat_tiers', 'tiers', index, ...path],
          msg,
        })),
      );
    case 'metered_unit':
      return [];
  }
}

function customFaults(
  price: Extract<PriceCreate, { amount_type: 'custom' }>,
  least: number,
  most: number,
): Fault[] {
  const minimum = minimumOf(price);
  const { maximum_amount: maximum, preset_amount: preset } = price;
  const faults: Fault[] = [];
  if (minimum !== 0 && (minimum < least || minimum > most))
    faults.push({ path: ['minimum_amount'], msg: `Must be 0 or between ${least} and ${most}.` });
  if (maximum != null && (maximum < minimum || maximum > most))
    faults.push({ path: ['maximum_amount'], msg: `Must be between the minimum and ${most}.` });
  if (preset != null && preset !== 0 && (preset < minimum || preset > (maximum ?? most)))
    faults.push({ path: ['preset_amount'], msg: 'Must be 0 or between the minimum and the maximum.' });
  return faults;
}

const DEFAULT_MINIMUM = 50;

/** A minimum nobody named is one that can be charged. */
const minimumOf = (price: Extract<PriceCreate, { amount_type: 'custom' }>): number =>
  price.minimum_amount ?? Math.max(DEFAULT_MINIMUM, minimumCharge(price.price_currency));

function tierFaults(tier: SeatTier, previous: SeatTier | undefined, isLast: boolean, most: number): Fault[] {
  const faults: Fault[] = [];
  if (previous && tier.min_seats !== (previous.max_seats ?? Number.NaN) + 1)
    faults.push({ path: ['min_seats'], msg: 'Each tier must start right after the previous one.' });
  if (tier.max_seats == null && !isLast)
    faults.push({ path: ['max_seats'], msg: 'Only the last tier may be unbounded.' });
  if (tier.max_seats != null && tier.max_seats < tier.min_seats)
    faults.push({ path: ['max_seats'], msg: 'Must not be below min_seats.' });
  if (tier.price_per_seat > most) faults.push({ path: ['price_per_seat'], msg: `Must be at most ${most}.` });
  return faults;
}

/** Per currency, one price of each kind and one for each meter; a custom price stands without fixed and seat ones. */
function repetitionFaults(prices: readonly PriceCreate[]): Fault[] {
  const seen = new Set<string>();
  return prices.flatMap((price, index) => {
    const slots = price.amount_type === 'metered_unit' ? [slotOf(price)] : clashingSlots(price);
    const isTaken = slots.some((slot) => seen.has(`${price.price_currency} ${slot}`));
    seen.add(`${price.price_currency} ${slotOf(price)}`);
    return isTaken
      ? [{ path: [index], msg: 'This price cannot stand beside another one in its currency.' }]
      : [];
  });
}

const slotOf = (price: PriceCreate): string =>
  price.amount_type === 'metered_unit' ? `metered_unit ${price.meter_id}` : price.amount_type;

const clashingSlots = ({ amount_type }: PriceCreate): string[] =>
  amount_type === 'custom' ? ['custom', 'fixed', 'seat_based'] : [amount_type, 'custom'];

/** Every currency offers the same, the default one among them, under one tax behaviour each. */
function currencyFaults(prices: readonly PriceCreate[], defaultCurrency: string): Fault[] {
  const byCurrency = [...Map.groupBy(prices, (price) => price.price_currency).entries()];
  const offers = new Set(byCurrency.map(([, group]) => group.map(slotOf).sort().join('\n')));
  const faults: Fault[] = [];
  if (!byCurrency.some(([currency]) => currency === defaultCurrency))
    faults.push({ path: [], msg: `A price in the default currency ${defaultCurrency} is required.` });
  if (offers.size > 1) faults.push({ path: [], msg: 'Every currency must offer the same prices.' });
  for (const [currency, group] of byCurrency) {
    if (new Set(group.map((price) => price.tax_behavior ?? 'location')).size > 1)
      faults.push({ path: [], msg: `All prices in ${currency} must have the same tax behavior.` });
  }
  return faults;
}

function newPrice(
  input: PriceCreate,
  productId: string,
  meters: ReadonlyMap<string, MeterCopy>,
  now: Date,
): Price {
  const { tax_behavior } = input;
  const base = {
    id: newId(),
    created_at: now.toISOString(),
    modified_at: null,
    source: 'ad_hoc' as const,
    price_currency: input.price_currency,
    tax_behavior: tax_behavior === 'inclusive' || tax_behavior === 'exclusive' ? tax_behavior : null,
    is_archived: false,
    product_id: productId,
  };
  switch (input.amount_type) {
    case 'fixed':
      return { ...base, amount_type: 'fixed', price_amount: input.price_amount };
    case 'custom':
      return {
        ...base,
        amount_type: 'custom',
        minimum_amount: minimumOf(input),
        maximum_amount: input.maximum_amount ?? null,
        preset_amount: input.preset_amount ?? null,
      };
    case 'seat_based':
      return { ...base, amount_type: 'seat_based', seat_tiers: seatTiers(input.seat_tiers) };
    case 'metered_unit': {
      const { meter_id, unit_amount, cap_amount = null } = input;
      const { id, name, unit, custom_label, custom_multiplier } = meters.get(meter_id)!;
      const meter = { id, name, unit, custom_label, custom_multiplier };
      return { ...base, amount_type: 'metered_unit', meter_id, unit_amount, cap_amount, meter };
    }
  }
}

type SeatTiersInput = Extract<PriceCreate, { amount_type: 'seat_based' }>['seat_tiers'];

const seatTiers = ({ seat_tier_type, tiers }: SeatTiersInput) => ({
  seat_tier_type,
  tiers: tiers.map((tier) => ({ ...tier, max_seats: tier.max_seats ?? null })),
  minimum_seats: tiers[0]!.min_seats,
  maximum_seats: tiers.at(-1)!.max_seats ?? null,
});

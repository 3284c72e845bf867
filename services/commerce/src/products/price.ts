import type { Interval } from '@tributary/runtime/period.ts';

interface PriceBase {
  id: string;
  created_at: string;
  modified_at: string | null;
  source: 'catalog' | 'ad_hoc';
  price_currency: string;
  tax_behavior: 'location' | 'inclusive' | 'exclusive' | null;
  is_archived: boolean;
  product_id: string;
  /** Only on prices from before a product carried its interval. */
  type?: 'recurring';
  recurring_interval?: Interval;
  legacy?: true;
}

export interface FixedPrice extends PriceBase {
  amount_type: 'fixed';
  price_amount: number;
}
export interface CustomPrice extends PriceBase {
  amount_type: 'custom';
  minimum_amount: number;
  maximum_amount: number | null;
  preset_amount: number | null;
}
export interface SeatTier {
  min_seats: number;
  max_seats?: number | null;
  price_per_seat: number;
}
export interface SeatPrice extends PriceBase {
  amount_type: 'seat_based';
  seat_tiers: {
    seat_tier_type?: 'volume' | 'graduated';
    tiers: readonly SeatTier[];
    minimum_seats: number;
    maximum_seats: number | null;
  };
}
export interface MeteredPrice extends PriceBase {
  amount_type: 'metered_unit';
  /** Decimal text, minor units for one unit. */
  unit_amount: string;
  cap_amount: number | null;
  meter_id: string;
  meter: {
    id: string;
    name: string;
    unit: 'scalar' | 'token' | 'custom';
    custom_label: string | null;
    custom_multiplier: number | null;
  };
}

export type Price = FixedPrice | CustomPrice | SeatPrice | MeteredPrice;

export const isMetered = (price: Price): price is MeteredPrice => price.amount_type === 'metered_unit';
export const isStatic = (price: Price): boolean => !isMetered(price);
export const seatPriceOf = (prices: readonly Price[]): SeatPrice | undefined =>
  prices.find((price) => price.amount_type === 'seat_based');
export const customPriceOf = (prices: readonly Price[]): CustomPrice | undefined =>
  prices.find((price) => price.amount_type === 'custom');

/** The prices in one currency. */
export const pricesIn = (prices: readonly Price[], currency: string): Price[] =>
  prices.filter((price) => price.price_currency === currency && !price.is_archived);

/** The currencies a product sells in, in the order of its prices. */
export const currenciesOf = (prices: readonly Price[]): string[] => [
  ...new Set(prices.filter((price) => !price.is_archived).map((price) => price.price_currency)),
];

/** How much of what a buyer takes. */
export interface Quantity {
  seats: number | null;
  /** Chosen by the buyer where the price lets them. */
  customAmount: number | null;
}

/** What a price asks at once, in minor units; metered prices ask later. */
export function staticAmount(price: Price, { seats, customAmount }: Quantity): number {
  switch (price.amount_type) {
    case 'fixed':
      return price.price_amount;
    case 'custom':
      return customAmount ?? presetAmount(price);
    case 'seat_based':
      return seatAmount(price, seats ?? price.seat_tiers.minimum_seats);
    case 'metered_unit':
      return 0;
  }
}

/** What a custom price asks while the buyer has not chosen. */
export const presetAmount = (price: CustomPrice): number => price.preset_amount ?? price.minimum_amount ?? 0;

/** Volume: all seats at the rate of the tier the number falls into. Graduated: each slice at its own rate. */
export function seatAmount({ seat_tiers: { seat_tier_type, tiers } }: SeatPrice, seats: number): number {
  if (seat_tier_type === 'graduated') {
    return tiers.reduce((sum, tier, index) => sum + seatsWithin(tier, index, seats) * tier.price_per_seat, 0);
  }
  const tier = tiers.find(({ max_seats }) => max_seats == null || seats <= max_seats) ?? tiers.at(-1);
  return seats * (tier?.price_per_seat ?? 0);
}

/** Seats that fall into a graduated tier; the first tier also prices those below its start. */
function seatsWithin(tier: SeatTier, index: number, seats: number): number {
  const before = index === 0 ? 0 : tier.min_seats - 1;
  const upTo = tier.max_seats == null ? seats : Math.min(seats, tier.max_seats);
  return Math.max(0, upTo - before);
}

/** Whether nothing is ever to pay for it. */
export const isFree = (prices: readonly Price[]): boolean =>
  prices.length > 0 && prices.every((price) => price.amount_type === 'fixed' && price.price_amount === 0);

/** The first static price, which old integrations take for the product's one price. */
export const leadingPrice = (prices: readonly Price[]): Price | undefined =>
  prices.find(isStatic) ?? prices[0];

import { minimumCharge } from '@tributary/runtime/money.ts';
import { advance, type Cadence } from '@tributary/runtime/period.ts';
import { homeCurrency } from '../addresses/address.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import {
  currenciesOf,
  customPriceOf,
  isFree,
  isMetered,
  type Price,
  presetAmount,
  pricesIn,
  seatPriceOf,
  staticAmount,
} from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';
import { type Checkout, pricesOf } from './checkout.ts';

/** The chosen product's prices in the session's currency. */
export const pricesAsked = (
  checkout: Pick<Checkout, 'session_prices' | 'currency'>,
  product: ProductCopy,
): Price[] => pricesIn(pricesOf(checkout, product), checkout.currency);

/**
 * The currency nobody chose: the one buyers in the country of the billing address use at home where the product is
 * sold in it, else the organization's own, else whatever the product is sold in.
 */
export function chooseCurrency(
  checkout: Pick<Checkout, 'session_prices' | 'customer_billing_address'>,
  product: ProductCopy,
  organization: OrganizationCopy,
): string {
  const offered = currenciesOf(pricesOf(checkout, product));
  const country = checkout.customer_billing_address?.country;
  const atHome = country && homeCurrency(country, offered);
  if (atHome) return atHome;
  const own = organization.default_presentment_currency;
  return offered.includes(own) ? own : (offered[0] ?? own);
}

/** Interval and length of the trial this session would start with, if any. */
export function activeTrial(
  checkout: Pick<Checkout, 'trial_interval' | 'trial_interval_count'>,
  product: ProductCopy,
): Cadence | null {
  const source = checkout.trial_interval ? checkout : product;
  const { trial_interval, trial_interval_count } = source;
  if (!trial_interval || !trial_interval_count || !product.is_recurring) return null;
  return { interval: trial_interval, count: trial_interval_count };
}

/** Recomputes all that follows from what was chosen: quantities, amounts, tax, trial (domain rules 1.3 and 1.5). */
export function priceCheckout(
  checkout: Checkout,
  product: ProductCopy,
  organization: OrganizationCopy,
  now: Date,
): Checkout {
  const prices = pricesAsked(checkout, product);
  const seatPrice = seatPriceOf(prices);
  const customPrice = customPriceOf(prices);
  const seats = seatPrice
    ? (checkout.seats ?? checkout.min_seats ?? seatPrice.seat_tiers.minimum_seats)
    : null;
  const custom_amount = customPrice ? (checkout.custom_amount ?? presetAmount(customPrice)) : null;
  const trial = checkout.allow_trial ? activeTrial(checkout, product) : null;
  const amount = prices.reduce(
    (sum, price) => sum + staticAmount(price, { seats, customAmount: custom_amount }),
    0,
  );
  const discount_amount = 0;
  const net_amount = amount - discount_amount;
  const priced = {
    ...checkout,
    price_ids: prices.map(({ id }) => id),
    seats,
    custom_amount,
    trial_end: trial && advance(now, trial),
    amount,
    discount_amount,
    net_amount,
    tax_behavior: taxBehaviorOf(checkout, prices, organization),
    total_amount: net_amount,
  };
  return { ...priced, tax_amount: taxOf(priced, product) };
}

/** The platform levies no tax itself, but says so only once it knows where the buyer is. */
function taxOf(checkout: Checkout, product: ProductCopy): number | null {
  if (!needs(checkout, product).is_payment_form_required) return 0;
  const address = checkout.customer_billing_address;
  const needsState = address?.country === 'US' || address?.country === 'CA';
  return address && (!needsState || address.state !== null) ? 0 : null;
}

const TAX_EXCLUSIVE_COUNTRIES = new Set(['US', 'CA']);

/** What the prices say, else the organization, else the custom of the buyer's country; null before that is known. */
function taxBehaviorOf(
  checkout: Checkout,
  prices: readonly Price[],
  organization: OrganizationCopy,
): Checkout['tax_behavior'] {
  const [own] = prices.map((price) => price.tax_behavior);
  if (own === 'inclusive' || own === 'exclusive') return own;
  const usual = organization.default_tax_behavior;
  if (usual === 'inclusive' || usual === 'exclusive') return usual;
  const country = checkout.customer_billing_address?.country;
  if (!country) return null;
  return TAX_EXCLUSIVE_COUNTRIES.has(country) ? 'exclusive' : 'inclusive';
}

export interface Needs {
  is_free_product_price: boolean;
  is_discount_applicable: boolean;
  /** Money has to move now. */
  is_payment_required: boolean;
  /** A card has to be saved for later. */
  is_payment_setup_required: boolean;
  is_payment_form_required: boolean;
}

/** What the buyer has to do to pay (domain rules 1.5). */
export function needs(checkout: Checkout, product: ProductCopy): Needs {
  const prices = pricesAsked(checkout, product);
  const is_free_product_price = isFree(prices);
  const is_payment_required = checkout.total_amount > 0 && checkout.trial_end === null;
  const is_payment_setup_required =
    product.is_recurring && !is_free_product_price && !(checkout.amount === 0 && !prices.some(isMetered));
  return {
    is_free_product_price,
    is_discount_applicable: !is_free_product_price,
    is_payment_required,
    is_payment_setup_required,
    is_payment_form_required: is_payment_required || is_payment_setup_required,
  };
}

/** What the processor is asked to take: nothing during a trial, nor what is too little to be charged. */
export function amountToCharge(checkout: Checkout): number {
  if (checkout.trial_end !== null) return 0;
  return checkout.total_amount >= minimumCharge(checkout.currency) ? checkout.total_amount : 0;
}

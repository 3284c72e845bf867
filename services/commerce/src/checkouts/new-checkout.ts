import { newId } from '@tributary/proto/id.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import type { Customer } from '../customers/customer.ts';
import { currenciesOf, type Price, seatPriceOf } from '../products/price.ts';
import { asksFullAddress, type CheckoutChange, changeCheckout } from './change-checkout.ts';
import { type Checkout, expiryFrom, type Offer, pricesOf } from './checkout.ts';
import { chooseCurrency, pricesAsked } from './pricing.ts';

/** What a merchant opens a session with, besides what can be changed later. */
export interface NewCheckout extends CheckoutChange {
  external_customer_id?: string | null;
  min_seats?: number | null;
  max_seats?: number | null;
  session_prices: Record<string, Price[]>;
  subscription_id: string | null;
  /** Whom the session is for, where that is known. */
  customer: Customer | null;
}

const SECRET_PREFIX = 'trb_c_';

/** An open session with the first product chosen and what is known of the customer filled in. */
export function newCheckout(input: NewCheckout, offer: Offer, now: Date): Checkout {
  const { customer, session_prices, subscription_id, external_customer_id, min_seats, max_seats, ...change } =
    input;
  const [product] = offer.products;
  const blank = blankCheckout(offer, now);
  const started: Checkout = {
    ...blank,
    ...(customer ? prefill(customer) : {}),
    session_prices,
    subscription_id,
    external_customer_id: customer?.external_id ?? external_customer_id ?? null,
    min_seats: min_seats ?? null,
    max_seats: max_seats ?? null,
  };
  const placed = { ...started, currency: startingCurrency(started, change, offer) };
  requireSeatBounds(placed, offer);
  const checkout = changeCheckout(
    placed,
    { ...change, currency: undefined, product_id: product!.id },
    offer,
    now,
  );
  return asksFullAddress({ ...checkout, modified_at: null });
}

function blankCheckout({ organization, products }: Offer, now: Date): Checkout {
  return {
    id: newId(),
    created_at: now,
    modified_at: null,
    organization_id: organization.id,
    status: 'open',
    client_secret: mintToken(SECRET_PREFIX),
    expires_at: expiryFrom(now),
    success_url: null,
    return_url: null,
    embed_origin: null,
    product_ids: products.map(({ id }) => id),
    product_id: products[0]!.id,
    session_prices: {},
    price_ids: [],
    currency: organization.default_presentment_currency,
    custom_amount: null,
    seats: null,
    min_seats: null,
    max_seats: null,
    amount: 0,
    discount_amount: 0,
    net_amount: 0,
    tax_amount: null,
    tax_behavior: null,
    total_amount: 0,
    allow_trial: true,
    trial_interval: null,
    trial_interval_count: null,
    trial_end: null,
    discount_id: null,
    allow_discount_codes: true,
    require_billing_address: false,
    subscription_id: null,
    customer_id: null,
    external_customer_id: null,
    is_business_customer: false,
    customer_name: null,
    customer_email: null,
    customer_ip_address: null,
    customer_billing_name: null,
    customer_billing_address: null,
    customer_tax_id: null,
    customer_metadata: {},
    metadata: {},
    custom_field_data: {},
    locale: null,
    payment_method_type: null,
    payment_processor_metadata: {},
    confirmation_token: null,
    confirmation_attempts: 0,
    confirmation_request: null,
    is_customer_unproven: false,
    confirmed_at: null,
    resume_at: null,
  };
}

/** What a known customer need not type again (domain rules 1.4). */
const prefill = (customer: Customer): Partial<Checkout> => ({
  customer_id: customer.id,
  customer_email: customer.email,
  customer_name: customer.type === 'team' ? null : customer.name,
  customer_billing_name: customer.billing_name,
  customer_billing_address: customer.billing_address,
  customer_tax_id: customer.tax_id,
  locale: customer.locale,
  is_business_customer: customer.billing_name !== null && customer.billing_address !== null,
});

function startingCurrency(checkout: Checkout, change: CheckoutChange, offer: Offer): string {
  const product = offer.products[0]!;
  if (change.currency != null) {
    if (!currenciesOf(pricesOf(checkout, product)).includes(change.currency)) {
      throw invalid(
        ['body', 'currency'],
        'The product is not sold in this currency.',
        'value_error',
        change.currency,
      );
    }
    return change.currency;
  }
  const country = change.customer_billing_address?.country;
  const address = checkout.customer_billing_address;
  const known = country
    ? { line1: null, line2: null, postal_code: null, city: null, state: null, country }
    : address;
  return chooseCurrency({ ...checkout, customer_billing_address: known }, product, offer.organization);
}

/** Refuses (422) bounds that contradict each other or the tiers of the price. */
function requireSeatBounds(checkout: Checkout, offer: Offer): void {
  const { min_seats, max_seats } = checkout;
  if (min_seats !== null && max_seats !== null && min_seats > max_seats) {
    throw invalid(['body', 'max_seats'], 'Must not be below min_seats.', 'value_error', max_seats);
  }
  const seatPrice = seatPriceOf(pricesAsked(checkout, offer.products[0]!));
  if (!seatPrice) return;
  const { minimum_seats, maximum_seats } = seatPrice.seat_tiers;
  for (const [key, value] of [
    ['min_seats', min_seats],
    ['max_seats', max_seats],
  ] as const) {
    if (value !== null && (value < minimum_seats || value > (maximum_seats ?? value))) {
      throw invalid(['body', key], 'Outside the tiers of the price.', 'value_error', value);
    }
  }
}

import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { Problem } from '@tributary/runtime/http/problem.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import { machine, type StatusOf } from '@tributary/runtime/machine.ts';
import type { Interval } from '@tributary/runtime/period.ts';
import type { Address } from '../addresses/address.ts';
import type { TaxId } from '../addresses/tax-id.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import { ExpiredCheckoutError, NotOpenCheckout } from '../problems.ts';
import type { Price } from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';

/** The life of a checkout session (domain rules 1.1). Nothing leads to `failed`; it is read for compatibility. */
export const checkoutMachine = machine(
  'checkout',
  {
    open: { confirm: 'confirmed', expire: 'expired' },
    confirmed: { succeed: 'succeeded', paymentFailed: 'open' },
    expired: {},
    succeeded: {},
    failed: {},
  },
  { confirm: NotOpenCheckout },
);
export type CheckoutStatus = StatusOf<typeof checkoutMachine>;
export const checkoutStatuses = checkoutMachine.statuses;

/** Answers to custom fields, by slug. */
export type CustomFieldData = Record<string, string | number | boolean | null>;

/** A buyer's way from an offer to an order. */
export interface Checkout extends Recorded {
  organization_id: string;
  status: CheckoutStatus;
  client_secret: string;
  expires_at: Date;
  /** Null sends the buyer to the platform's own page. */
  success_url: string | null;
  return_url: string | null;
  embed_origin: string | null;
  /** What the buyer may choose from; `product_id` is the choice. */
  product_ids: string[];
  product_id: string;
  /** Prices that hold here whatever the catalog says, by product: ad-hoc ones and those the buyer has agreed to. */
  session_prices: Record<string, Price[]>;
  /** The prices that were shown last, by which its amounts were worked out. */
  price_ids: string[];
  currency: string;
  /** Chosen by the buyer where the price lets them. */
  custom_amount: number | null;
  seats: number | null;
  min_seats: number | null;
  max_seats: number | null;
  amount: number;
  discount_amount: number;
  net_amount: number;
  tax_amount: number | null;
  tax_behavior: 'inclusive' | 'exclusive' | null;
  total_amount: number;
  allow_trial: boolean;
  trial_interval: Interval | null;
  trial_interval_count: number | null;
  trial_end: Date | null;
  discount_id: string | null;
  allow_discount_codes: boolean;
  require_billing_address: boolean;
  /** The subscription it upgrades. */
  subscription_id: string | null;
  customer_id: string | null;
  external_customer_id: string | null;
  is_business_customer: boolean;
  customer_name: string | null;
  customer_email: string | null;
  customer_ip_address: string | null;
  customer_billing_name: string | null;
  customer_billing_address: Address | null;
  customer_tax_id: TaxId | null;
  customer_metadata: Metadata;
  metadata: Metadata;
  custom_field_data: CustomFieldData;
  locale: string | null;
  payment_method_type: string | null;
  payment_processor_metadata: Record<string, string>;
  /** The buyer's payment token, while the checkout is confirmed. */
  confirmation_token: string | null;
  /** How often it was confirmed; part of the processor's idempotency key. */
  confirmation_attempts: number;
  /** `Idempotency-Key` of the request that confirmed it. */
  confirmation_request: string | null;
  /** The customer was only found by the e-mail address the buyer typed, which proves nothing. */
  is_customer_unproven: boolean;
  confirmed_at: Date | null;
  /** When a confirmed checkout that has not ended is to be looked at again. */
  resume_at: Date | null;
}

/** What a checkout sells, from whom. */
export interface Offer {
  organization: OrganizationCopy;
  /** In the order of `product_ids`. */
  products: ProductCopy[];
}

/** The chosen product. */
export function selectedProduct(checkout: Pick<Checkout, 'product_id'>, offer: Offer): ProductCopy {
  const product = offer.products.find(({ id }) => id === checkout.product_id);
  if (!product) throw new Error(`the offer lacks product ${checkout.product_id}`);
  return product;
}

/** A product's prices in this session. */
export const pricesOf = (
  checkout: Pick<Checkout, 'session_prices'>,
  product: ProductCopy,
): readonly Price[] =>
  checkout.session_prices[product.id] ?? product.prices.filter((price) => !price.is_archived);

/** Keeps the prices the buyer agrees to, should the catalog change before the payment has ended. */
const pinPrices = (checkout: Checkout, product: ProductCopy): Checkout['session_prices'] => ({
  ...checkout.session_prices,
  [product.id]: [...pricesOf(checkout, product)],
});

const unpinPrices = ({ session_prices }: Checkout): Checkout['session_prices'] =>
  Object.fromEntries(
    Object.entries(session_prices).filter(([, prices]) => prices.every(({ source }) => source === 'ad_hoc')),
  );

const LIFETIME_MS = 24 * 60 * 60 * 1000;

export const expiryFrom = (now: Date): Date => new Date(now.getTime() + LIFETIME_MS);

/** Whether its time is over, whether or not the job has come by. */
export const isExpired = (checkout: Pick<Checkout, 'status' | 'expires_at'>, now: Date): boolean =>
  checkout.status === 'expired' || (checkout.status === 'open' && checkout.expires_at <= now);

/** Refuses (410) whoever comes with the secret of an expired session. */
export function requireFresh(checkout: Checkout, now: Date): void {
  if (isExpired(checkout, now)) throw new Problem(ExpiredCheckoutError, 'This checkout session has expired.');
}

/** Refuses (403) to change what is no longer open. */
export function requireOpen(checkout: Checkout): void {
  if (checkout.status !== 'open') throw new Problem(NotOpenCheckout, 'Checkout is not open.');
}

export const expireCheckout = (checkout: Checkout, now: Date): Checkout => ({
  ...checkout,
  status: checkoutMachine.next(checkout.status, 'expire'),
  modified_at: now,
});

/** After this time without an end, a confirmed checkout is taken up again. */
const RESUME_AFTER_MS = 60_000;

/** The buyer has agreed: from here on the payment decides. */
export const confirmCheckout = (
  checkout: Checkout,
  confirmation: Pick<
    Checkout,
    | 'customer_id'
    | 'external_customer_id'
    | 'is_customer_unproven'
    | 'confirmation_token'
    | 'confirmation_request'
  >,
  product: ProductCopy,
  now: Date,
): Checkout => ({
  ...checkout,
  ...confirmation,
  session_prices: pinPrices(checkout, product),
  status: checkoutMachine.next(checkout.status, 'confirm'),
  confirmation_attempts: checkout.confirmation_attempts + 1,
  confirmed_at: now,
  resume_at: new Date(now.getTime() + RESUME_AFTER_MS),
  modified_at: now,
});

/** A second step that its buyer does not take for so long is given up. */
const SECOND_STEP_MS = 30 * 60_000;

/** The payment waits for its buyer. */
export const awaitSecondStep = (
  checkout: Checkout,
  intent: { intentId: string; clientSecret: string },
  now: Date,
): Checkout => ({
  ...checkout,
  payment_processor_metadata: {
    ...checkout.payment_processor_metadata,
    intent_id: intent.intentId,
    intent_client_secret: intent.clientSecret,
    intent_status: 'requires_action',
  },
  resume_at: new Date(now.getTime() + RESUME_AFTER_MS),
  modified_at: now,
});

export const isSecondStepOverdue = (checkout: Checkout, now: Date): boolean =>
  checkout.confirmed_at !== null && now.getTime() - checkout.confirmed_at.getTime() > SECOND_STEP_MS;

/** The payment did not go through: the buyer may try again. */
export const reopenCheckout = (checkout: Checkout, now: Date): Checkout => ({
  ...checkout,
  status: checkoutMachine.next(checkout.status, 'paymentFailed'),
  ...ended(checkout),
  session_prices: unpinPrices(checkout),
  confirmed_at: null,
  modified_at: now,
});

/** Paid, or nothing was to pay. */
export const succeedCheckout = (checkout: Checkout, now: Date): Checkout => ({
  ...checkout,
  status: checkoutMachine.next(checkout.status, 'succeed'),
  ...ended(checkout),
  modified_at: now,
});

const ended = (checkout: Checkout) => ({
  confirmation_token: null,
  resume_at: null,
  payment_processor_metadata: Object.fromEntries(
    Object.entries(checkout.payment_processor_metadata).filter(([key]) => !key.startsWith('intent_')),
  ),
});

/** Under what the processor knows this attempt: asking twice charges once. */
export const intentKey = (checkout: Checkout): string =>
  `checkout/${checkout.id}/${checkout.confirmation_attempts}`;

/** The checkout an intent belongs to, where it belongs to one. */
export const checkoutOfKey = (key: string): string | undefined => /^checkout\/([^/]+)\//.exec(key)?.[1];

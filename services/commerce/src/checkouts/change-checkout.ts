import { invalid } from '@tributary/runtime/http/problem.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import type { Interval } from '@tributary/runtime/period.ts';
import { type AddressInput, isDetailed, normalizeAddress } from '../addresses/address.ts';
import { readTaxId } from '../addresses/tax-id.ts';
import { hasFeature, type OrganizationCopy } from '../organizations/organization.ts';
import { currenciesOf } from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';
import { type Checkout, type CustomFieldData, type Offer, pricesOf, selectedProduct } from './checkout.ts';
import { mergeAnswers } from './custom-field-data.ts';
import { chooseCurrency, priceCheckout } from './pricing.ts';
import { chooseQuantity, requireChargeable } from './quantity.ts';

/** What merchant or buyer may send; only the keys that are there change anything. */
export interface CheckoutChange {
  product_id?: string | null;
  product_price_id?: string | null;
  currency?: string | null;
  amount?: number | null;
  seats?: number | null;
  allow_trial?: boolean | null;
  trial_interval?: Interval | null;
  trial_interval_count?: number | null;
  discount_id?: string | null;
  discount_code?: string | null;
  allow_discount_codes?: boolean | null;
  require_billing_address?: boolean | null;
  is_business_customer?: boolean | null;
  customer_name?: string | null;
  customer_email?: string | null;
  customer_ip_address?: string | null;
  customer_billing_name?: string | null;
  customer_billing_address?: AddressInput | null;
  customer_tax_id?: string | null;
  customer_metadata?: Metadata | null;
  metadata?: Metadata;
  custom_field_data?: CustomFieldData;
  locale?: string | null;
  payment_method_type?: string | null;
  success_url?: string | null;
  return_url?: string | null;
  embed_origin?: string | null;
}

/** The session after a change, priced anew (domain rules 1.6). What cannot be is a 422 at its key. */
export function changeCheckout(
  checkout: Checkout,
  change: CheckoutChange,
  offer: Offer,
  now: Date,
): Checkout {
  const chosen = inOfferedCurrency(chooseProduct(checkout, change, offer), offer);
  const described = { ...chosen, ...changedDetails(chosen, change, offer.organization), modified_at: now };
  const product = selectedProduct(described, offer);
  const counted = chooseQuantity(chooseOwnCurrency(described, change, product), change, product);
  refuseDiscount(change);
  const custom_field_data = mergeAnswers(
    product.attached_custom_fields,
    counted.custom_field_data,
    change.custom_field_data ?? {},
  );
  const priced = priceCheckout({ ...counted, custom_field_data }, product, offer.organization, now);
  return requireChargeable(priced, product);
}

/** Another product starts with quantities of its own. */
function chooseProduct(checkout: Checkout, change: CheckoutChange, offer: Offer): Checkout {
  const wanted = wantedProduct(change, offer);
  if (wanted === undefined || wanted.id === checkout.product_id) return checkout;
  if (wanted.product?.is_archived) {
    throw invalid(wanted.loc, 'Product is archived.', 'value_error', wanted.id);
  }
  if (!wanted.product || !checkout.product_ids.includes(wanted.id)) {
    throw invalid(wanted.loc, 'Product is not available in this checkout.', 'value_error', wanted.id);
  }
  return { ...checkout, product_id: wanted.id, custom_amount: null, seats: null };
}

/** A product may have been withdrawn from the session's currency: without a price there it would cost nothing. */
function inOfferedCurrency(checkout: Checkout, offer: Offer): Checkout {
  const product = selectedProduct(checkout, offer);
  if (currenciesOf(pricesOf(checkout, product)).includes(checkout.currency)) return checkout;
  return {
    ...checkout,
    currency: chooseCurrency(checkout, product, offer.organization),
    custom_amount: null,
  };
}

function wantedProduct({ product_id, product_price_id }: CheckoutChange, { products }: Offer) {
  if (product_id != null) {
    const product = products.find(({ id }) => id === product_id);
    return { id: product_id, product, loc: ['body', 'product_id'] };
  }
  if (product_price_id == null) return undefined;
  const product = products.find(({ prices }) => prices.some(({ id }) => id === product_price_id));
  return { id: product?.id ?? product_price_id, product, loc: ['body', 'product_price_id'] };
}

function chooseOwnCurrency(checkout: Checkout, { currency }: CheckoutChange, product: ProductCopy): Checkout {
  if (currency == null) return checkout;
  if (!currenciesOf(pricesOf(checkout, product)).includes(currency)) {
    throw invalid(['body', 'currency'], 'The product is not sold in this currency.', 'value_error', currency);
  }
  return { ...checkout, currency };
}

/** Discounts come with their own resource; until one exists, none can be named. */
function refuseDiscount({ discount_id, discount_code }: CheckoutChange): void {
  if (discount_id != null)
    throw invalid(['body', 'discount_id'], 'Discount does not exist.', 'value_error', discount_id);
  if (discount_code) {
    throw invalid(['body', 'discount_code'], 'Discount does not exist.', 'value_error', discount_code);
  }
}

function changedDetails(
  checkout: Checkout,
  change: CheckoutChange,
  organization: OrganizationCopy,
): Partial<Checkout> {
  return {
    ...changedSettings(checkout, change),
    ...changedBuyer(checkout, change),
    ...changedBilling(checkout, change),
    locale: localeOf(change.locale, checkout.locale, organization),
  };
}

function changedSettings(checkout: Checkout, change: CheckoutChange): Partial<Checkout> {
  const flag = (key: 'allow_trial' | 'allow_discount_codes') => change[key] ?? checkout[key];
  const text = (key: 'success_url' | 'return_url' | 'embed_origin' | 'payment_method_type') =>
    change[key] === undefined ? checkout[key] : change[key];
  return {
    allow_trial: flag('allow_trial'),
    allow_discount_codes: flag('allow_discount_codes'),
    ...trialOf(checkout, change),
    success_url: text('success_url'),
    return_url: text('return_url'),
    embed_origin: text('embed_origin'),
    payment_method_type: text('payment_method_type'),
    metadata: change.metadata ?? checkout.metadata,
    customer_metadata:
      change.customer_metadata === null ? {} : (change.customer_metadata ?? checkout.customer_metadata),
  };
}

/** Interval and count stand or fall together. */
export function trialOf(
  checkout: Pick<Checkout, 'trial_interval' | 'trial_interval_count'>,
  change: Pick<CheckoutChange, 'trial_interval' | 'trial_interval_count'>,
): Pick<Checkout, 'trial_interval' | 'trial_interval_count'> {
  const trial_interval =
    change.trial_interval === undefined ? checkout.trial_interval : change.trial_interval;
  const trial_interval_count =
    change.trial_interval_count === undefined ? checkout.trial_interval_count : change.trial_interval_count;
  if (trial_interval !== null && trial_interval_count === null)
    throw invalid(['body', 'trial_interval_count'], 'Required together with trial_interval.');
  if (trial_interval === null && trial_interval_count !== null)
    throw invalid(['body', 'trial_interval'], 'Required together with trial_interval_count.');
  return { trial_interval, trial_interval_count };
}

/** The address of a linked customer is theirs: it is not changed from here. */
function changedBuyer(checkout: Checkout, change: CheckoutChange): Partial<Checkout> {
  return {
    customer_email:
      checkout.customer_id !== null || change.customer_email === undefined
        ? checkout.customer_email
        : change.customer_email,
    customer_name:
      change.customer_name === undefined ? checkout.customer_name : change.customer_name?.trim() || null,
    customer_ip_address:
      change.customer_ip_address === undefined ? checkout.customer_ip_address : change.customer_ip_address,
  };
}

function changedBilling(checkout: Checkout, change: CheckoutChange): Partial<Checkout> {
  const { customer_billing_address: input, customer_tax_id: number, customer_billing_name: name } = change;
  const is_business_customer = change.is_business_customer ?? checkout.is_business_customer;
  const address =
    input === undefined
      ? checkout.customer_billing_address
      : input && normalizeAddress(input, ['body', 'customer_billing_address']);
  const taxId =
    number === undefined
      ? checkout.customer_tax_id
      : number
        ? readTaxId(number, address?.country, ['body', 'customer_tax_id'])
        : null;
  const isPrivate = change.is_business_customer === false;
  return {
    is_business_customer,
    customer_billing_address: address,
    customer_tax_id: isPrivate ? null : taxId,
    customer_billing_name: isPrivate
      ? null
      : name === undefined
        ? checkout.customer_billing_name
        : name?.trim() || null,
    require_billing_address: change.require_billing_address ?? checkout.require_billing_address,
  };
}

/** A preset address that is more than country and state is meant to be asked for in full. */
export const asksFullAddress = (checkout: Checkout): Checkout => ({
  ...checkout,
  require_billing_address: checkout.require_billing_address || isDetailed(checkout.customer_billing_address),
});

const FALLBACK_LOCALE = 'en';

/** Without the feature every page is in English. */
export const localeOf = (
  wanted: string | null | undefined,
  current: string | null,
  organization: OrganizationCopy,
): string | null =>
  hasFeature(organization, 'checkout_localization_enabled')
    ? wanted === undefined
      ? current
      : wanted
    : FALLBACK_LOCALE;

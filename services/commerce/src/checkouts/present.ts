import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import { presentOrganization } from '../organizations/present.ts';
import { PROCESSOR } from '../payments/processor.ts';
import { presentCheckoutProduct } from '../products/present.ts';
import { leadingPrice, type Price } from '../products/price.ts';
import { billingAddressFields } from './buyer-fields.ts';
import { type Checkout, type Offer, pricesOf, selectedProduct } from './checkout.ts';
import { activeTrial, needs, pricesAsked } from './pricing.ts';
import type { CheckoutPublicWire, CheckoutWire } from './schema.ts';

/** Where checkout pages are. */
export interface Pages {
  publicUrl: string;
}

const ID_PLACEHOLDER = '{CHECKOUT_ID}';

const pageOf = (checkout: Checkout, { publicUrl }: Pages) =>
  `${publicUrl}/checkout/${checkout.client_secret}`;

const successUrl = (checkout: Checkout, pages: Pages) =>
  checkout.success_url?.replaceAll(ID_PLACEHOLDER, checkout.id) ?? `${pageOf(checkout, pages)}/confirmation`;

function presentSession(checkout: Checkout, offer: Offer, pages: Pages) {
  const product = selectedProduct(checkout, offer);
  const trial = activeTrial(checkout, product);
  const price = leadingPrice(pricesAsked(checkout, product)) ?? null;
  return {
    ...presentRecorded(checkout),
    custom_field_data: checkout.custom_field_data,
    payment_processor: PROCESSOR,
    status: checkout.status,
    client_secret: checkout.client_secret,
    url: pageOf(checkout, pages),
    expires_at: checkout.expires_at.toISOString(),
    success_url: successUrl(checkout, pages),
    return_url: checkout.return_url,
    embed_origin: checkout.embed_origin,
    amount: checkout.amount,
    seats: checkout.seats,
    min_seats: checkout.min_seats,
    max_seats: checkout.max_seats,
    discount_amount: checkout.discount_amount,
    net_amount: checkout.net_amount,
    tax_amount: checkout.tax_amount,
    tax_behavior: checkout.tax_behavior,
    total_amount: checkout.total_amount,
    currency: checkout.currency,
    allow_trial: checkout.allow_trial,
    active_trial_interval: trial?.interval ?? null,
    active_trial_interval_count: trial?.count ?? null,
    trial_end: iso(checkout.trial_end),
    organization_id: checkout.organization_id,
    product_id: checkout.product_id,
    product_price_id: price?.id ?? null,
    discount_id: checkout.discount_id,
    allow_discount_codes: checkout.allow_discount_codes,
    require_billing_address: checkout.require_billing_address,
    ...needs(checkout, product),
    customer_id: checkout.customer_id,
    is_business_customer: checkout.is_business_customer,
    customer_name: checkout.customer_name,
    customer_email: checkout.customer_email,
    customer_ip_address: checkout.customer_ip_address,
    customer_billing_name: checkout.customer_billing_name,
    customer_billing_address: checkout.customer_billing_address,
    customer_tax_id: checkout.customer_tax_id?.[0] ?? null,
    locale: checkout.locale,
    payment_method_type: checkout.payment_method_type,
    payment_processor_metadata: checkout.payment_processor_metadata,
    billing_address_fields: billingAddressFields(checkout),
    ...presentOffer(checkout, offer, price),
    discount: null,
    attached_custom_fields: product.attached_custom_fields,
  };
}

function presentOffer(checkout: Checkout, { products }: Offer, price: Price | null) {
  const presented = products.map((product) => presentCheckoutProduct(product, pricesOf(checkout, product)));
  return {
    products: presented,
    product: presented.find(({ id }) => id === checkout.product_id) ?? null,
    product_price: price,
    prices: Object.fromEntries(presented.map(({ id, prices }) => [id, prices])),
  };
}

/** The session as its merchant sees it. */
export const presentCheckout = (checkout: Checkout, offer: Offer, pages: Pages): CheckoutWire =>
  ({
    ...presentSession(checkout, offer, pages),
    trial_interval: checkout.trial_interval,
    trial_interval_count: checkout.trial_interval_count,
    metadata: checkout.metadata,
    external_customer_id: checkout.external_customer_id,
    subscription_id: checkout.subscription_id,
    customer_metadata: checkout.customer_metadata,
  }) as unknown as CheckoutWire;

/** The session as its buyer sees it. */
export const presentPublicCheckout = (checkout: Checkout, offer: Offer, pages: Pages): CheckoutPublicWire =>
  ({
    ...presentSession(checkout, offer, pages),
    organization: presentOrganization(offer.organization),
  }) as unknown as CheckoutPublicWire;

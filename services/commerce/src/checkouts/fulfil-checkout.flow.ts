import { stateChanged } from '@tributary/proto/events/message.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { seatBuyer } from '../customer-seats/seat-buyer.flow.ts';
import type { Customer } from '../customers/customer.ts';
import { customerUpdated } from '../customers/messages.ts';
import { presentCustomer } from '../customers/present.ts';
import { stateChangedSoon } from '../customers/state-changes.ts';
import { lockCustomer, saveCustomer } from '../customers/store.ts';
import { orderAmounts } from '../orders/amounts.ts';
import { placeOrder, settleOrder } from '../orders/place-order.flow.ts';
import type { OrderView } from '../orders/present.ts';
import { newPaymentMethod } from '../payment-methods/payment-method.ts';
import { keepPaymentMethod } from '../payment-methods/store.ts';
import { newPayment } from '../payments/payment.ts';
import type { Outcome, SavedMethod } from '../payments/processor.ts';
import { seatPriceOf } from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';
import { cancelSubscriptionsOf } from '../subscriptions/end-subscription.flow.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { recordTrial } from '../subscriptions/trial-redemptions.ts';
import { type Checkout, type Offer, selectedProduct, succeedCheckout } from './checkout.ts';
import { purchaseMail } from './mails.ts';
import { checkoutUpdated } from './messages.ts';
import type { Pages } from './present.ts';
import { amountToCharge, pricesAsked } from './pricing.ts';
import { itemsSold } from './sale.ts';
import { sellSubscription } from './sell-subscription.flow.ts';
import { lockCheckout, saveCheckout } from './store.ts';

export type Paid = Extract<Outcome, { status: 'succeeded' }>;

/**
 * Turns a confirmed checkout into what was bought (domain rules 1.8), all in one transaction. Whoever comes second,
 * the request or the job that repairs it, finds the checkout succeeded and does nothing.
 * @param paid how the processor ended; null where nothing was to pay and no card to save
 */
export async function fulfilCheckout(
  tx: Tx,
  checkoutId: string,
  offer: Offer,
  paid: Paid | null,
  pages: Pages,
  now: Date,
): Promise<void> {
  const checkout = await lockCheckout(tx, checkoutId);
  if (checkout.status !== 'confirmed') return;
  const product = selectedProduct(checkout, offer);
  const customer = await equipCustomer(tx, checkout, product, paid?.method ?? null, now);
  const subscription = product.is_recurring
    ? await sellSubscription(tx, checkout, product, customer, now)
    : null;
  const sold = await sellOrder(tx, checkout, offer, { customer, subscription, product, paid }, now);
  await emit(tx, purchaseMail(sold, offer.organization));
  const { seats, success_url } = checkout;
  await seatBuyer(
    tx,
    { seats, success_url, subscription_id: subscription?.id ?? null, order_id: sold.order.id },
    customer,
    now,
  );
  if (checkout.trial_end !== null) {
    await recordTrial(
      tx,
      {
        organization_id: checkout.organization_id,
        customer_id: customer.id,
        product_id: product.id,
        email: customer.email,
        fingerprint: paid?.method.fingerprint ?? null,
      },
      now,
    );
  }
  // Who was deleted while paying keeps what is on record, but nothing that goes on.
  if (customer.deleted_at !== null) await cancelSubscriptionsOf(tx, customer.id, now);
  await stateChangedSoon(tx, customer, now);
  const succeeded = succeedCheckout(checkout, now);
  await saveCheckout(tx, succeeded, checkoutUpdated(succeeded, offer, pages, now));
}

/** Gives the customer the card it used, and makes it a team where seats were bought. */
async function equipCustomer(
  tx: Tx,
  checkout: Checkout,
  product: ProductCopy,
  saved: SavedMethod | null,
  now: Date,
): Promise<Customer> {
  const before = await lockCustomer(tx, checkout.customer_id!);
  if (before.deleted_at !== null) return before;
  const method = saved && (await keepPaymentMethod(tx, newPaymentMethod(before, saved, now)));
  const hasSeats = seatPriceOf(pricesAsked(checkout, product)) !== undefined;
  const customer: Customer = {
    ...before,
    type: hasSeats ? 'team' : before.type,
    default_payment_method_id: before.default_payment_method_id ?? method?.id ?? null,
  };
  if (customer.type !== before.type) {
    const changed = { ...customer, modified_at: now };
    await saveCustomer(tx, changed, customerUpdated(before, changed, now));
    return changed;
  }
  if (customer.default_payment_method_id !== before.default_payment_method_id) {
    // Nothing the customer did: other services' copies learn of it, integrators need no word.
    await saveCustomer(tx, customer, [stateChanged('customers', customer.id, presentCustomer(customer))]);
  }
  return customer;
}

interface Sale {
  customer: Customer;
  subscription: Subscription | null;
  product: ProductCopy;
  paid: Paid | null;
}

async function sellOrder(
  tx: Tx,
  checkout: Checkout,
  offer: Offer,
  sale: Sale,
  now: Date,
): Promise<OrderView> {
  const { customer, subscription, product, paid } = sale;
  const items = itemsSold(checkout, product);
  const isTrial = checkout.trial_end !== null;
  const amounts = orderAmounts({
    items: items.map((item) => item.amount),
    discount: isTrial ? 0 : checkout.discount_amount,
    tax: isTrial ? 0 : (checkout.tax_amount ?? 0),
    isTaxInclusive: checkout.tax_behavior === 'inclusive',
    // The buyer agreed to the session's total: neither credit nor debt from before changes it.
    balance: 0,
  });
  const placed = await placeOrder(
    tx,
    {
      amounts,
      items,
      currency: checkout.currency,
      billing_reason: billingReasonOf(checkout, subscription),
      billing_name: customer.billing_name ?? customer.name,
      billing_address: customer.billing_address,
      seats: checkout.seats,
      product_id: product.id,
      discount_id: checkout.discount_id,
      subscription_id: subscription?.id ?? null,
      checkout_id: checkout.id,
      metadata: checkout.metadata,
      custom_field_data: checkout.custom_field_data,
      description: product.name,
    },
    { customer, product, subscription, organization: offer.organization },
    now,
  );
  const sum = { amount: amountToCharge(checkout), currency: checkout.currency };
  const payment =
    paid && sum.amount > 0
      ? newPayment(
          paid,
          sum,
          {
            organization_id: checkout.organization_id,
            customer_id: customer.id,
            customer_email: customer.email,
            checkout_id: checkout.id,
            order_id: placed.order.id,
            trigger: 'purchase',
          },
          now,
        )
      : null;
  return settleOrder(tx, placed, payment, now);
}

function billingReasonOf(checkout: Checkout, subscription: Subscription | null) {
  if (!subscription) return 'purchase';
  return checkout.subscription_id ? 'subscription_update' : 'subscription_create';
}

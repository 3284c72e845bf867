import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import type { Call } from '@tributary/runtime/http/route.ts';
import { organizationsOf, requireAdministrator } from '@tributary/runtime/principal.ts';
import type { App } from '../app.ts';
import type { Customer } from '../customers/customer.ts';
import { findCustomer } from '../customers/store.ts';
import { isFree } from '../products/price.ts';
import { findSubscription } from '../subscriptions/store.ts';
import { requireSingleSubscription } from './check-buyer.flow.ts';
import type { Offer } from './checkout.ts';
import { composeOffer, requireTrading } from './load-offer.flow.ts';
import { sessionPrices } from './make-prices.flow.ts';
import { checkoutCreated } from './messages.ts';
import { newCheckout } from './new-checkout.ts';
import { presentCheckout } from './present.ts';
import type { CheckoutCreate, CheckoutWire } from './schema.ts';
import { insertCheckout } from './store.ts';

/** Opens a session for a merchant (domain rules 1.3 and 1.4). */
export async function createCheckout(
  call: Call<unknown, unknown, CheckoutCreate>,
  app: App,
): Promise<CheckoutWire> {
  const { body, principal, now } = call;
  const offer = await composeOffer(app, organizationsOf(principal), body.products);
  requireAdministrator(principal, offer.organization.id);
  requireTrading(offer.organization);
  const session_prices = await sessionPrices(app, body.prices ?? {}, offer);
  return call.transaction(async (tx) => {
    const customer = await customerNamed(tx, body, offer);
    const { products: _products, prices: _prices, subscription_id = null, ...input } = body;
    const checkout = newCheckout({ ...input, customer, session_prices, subscription_id }, offer, now);
    await requireSingleSubscription(tx, checkout, offer);
    await insertCheckout(tx, checkout, checkoutCreated(checkout, offer, app, now));
    return presentCheckout(checkout, offer, app);
  });
}

/** Whom the session is for: the customer of the subscription, of the id, of the external id, or nobody yet. */
async function customerNamed(tx: Tx, body: CheckoutCreate, offer: Offer): Promise<Customer | null> {
  const organizationId = offer.organization.id;
  if (body.subscription_id) return subscriber(tx, body.subscription_id, organizationId);
  if (body.customer_id) {
    const customer = await findCustomer(tx, organizationId, { id: body.customer_id });
    if (customer) return customer;
    throw invalid(['body', 'customer_id'], 'Customer does not exist.', 'value_error', body.customer_id);
  }
  if (!body.external_customer_id) return null;
  return (await findCustomer(tx, organizationId, { external_id: body.external_customer_id })) ?? null;
}

/** Only a subscription that costs nothing can be upgraded through a checkout. */
async function subscriber(tx: Tx, subscriptionId: string, organizationId: string): Promise<Customer> {
  const subscription = await findSubscription(tx, organizationId, subscriptionId);
  const isUpgradable = subscription?.status === 'active' && isFree(subscription.prices);
  const customer = isUpgradable && (await findCustomer(tx, organizationId, { id: subscription.customer_id }));
  if (customer) return customer;
  throw invalid(
    ['body', 'subscription_id'],
    'Subscription does not exist, or is not a free one.',
    'value_error',
    subscriptionId,
  );
}

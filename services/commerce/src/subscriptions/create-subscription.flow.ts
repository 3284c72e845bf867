import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import type { App } from '../app.ts';
import { stateChangedSoon } from '../customers/state-changes.ts';
import { type CustomerReference, findCustomer } from '../customers/store.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import { isFree, pricesIn } from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';
import { subscriptionMail } from './mails.ts';
import { subscriptionCreated } from './messages.ts';
import { presentSubscription } from './present.ts';
import { insertSubscription } from './store.ts';
import { newSubscription } from './subscription.ts';

export interface FreeSubscription {
  product_id: string;
  customer: CustomerReference;
  metadata: Metadata;
}

/** The free, recurring product on sale that a caller may subscribe somebody to, and who sells it; a 422 otherwise. */
export async function readFreeProduct(app: App, organizationIds: readonly string[], productId: string) {
  const refuse = (why: string) => invalid(['body', 'product_id'], why, 'value_error', productId);
  const reader = app.db.manager;
  const product = (await app.replicas.products.get(reader, [productId])).get(productId);
  if (!product || !organizationIds.includes(product.organization_id)) throw refuse('Product does not exist.');
  if (product.is_archived) throw refuse('Product is archived.');
  if (product.recurring_interval === null) throw refuse('Product is not recurring.');
  if (!isFree(product.prices))
    throw refuse('Product is not free. The customer must go through a checkout session.');
  const { organization_id } = product;
  const organization = (await app.replicas.organizations.get(reader, [organization_id])).get(organization_id);
  if (!organization) throw refuse('Product does not exist.');
  return { product, organization };
}

/** Subscribes a customer to a free product; nothing is ordered. */
export async function createFreeSubscription(
  tx: Tx,
  { product, organization }: { product: ProductCopy; organization: OrganizationCopy },
  wanted: FreeSubscription,
  now: Date,
) {
  const customer = await findCustomer(tx, organization.id, wanted.customer);
  if (!customer) {
    const [key, id] =
      'id' in wanted.customer
        ? ['customer_id', wanted.customer.id]
        : ['external_customer_id', wanted.customer.external_id];
    throw invalid(['body', key], 'Customer does not exist.', 'value_error', id);
  }
  const currency = currencyOf(product, organization);
  const subscription = newSubscription(
    {
      organization_id: organization.id,
      customer_id: customer.id,
      product_id: product.id,
      discount_id: null,
      checkout_id: null,
      amount: 0,
      currency,
      seats: null,
      metadata: wanted.metadata,
      custom_field_data: {},
      prices: pricesIn(product.prices, currency),
      cadence: { interval: product.recurring_interval!, count: product.recurring_interval_count ?? 1 },
      startsAt: now,
      trialEnd: null,
    },
    now,
  );
  const parts = { customer, product, organization, meters: [] };
  await insertSubscription(
    tx,
    subscription,
    [],
    [
      ...subscriptionCreated({ ...parts, subscription }, now),
      ...subscriptionMail('subscription_confirmation', subscription, parts),
    ],
  );
  await stateChangedSoon(tx, customer, now);
  return presentSubscription(subscription, parts);
}

/** The organization's own currency, which every product is sold in. */
function currencyOf(product: ProductCopy, { default_presentment_currency }: OrganizationCopy): string {
  const offered = product.prices.map(({ price_currency }) => price_currency);
  return offered.includes(default_presentment_currency) ? default_presentment_currency : offered[0]!;
}

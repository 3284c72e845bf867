import { setTimeout as pause } from 'node:timers/promises';
import { type Api, expectStatus } from './api.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

export const EVENTS = 10_000;
export const DUPLICATES = 1_000;
const BATCH = 1_000;
const CREDITED_UNITS = 1_000;

// biome-ignore lint/suspicious/noExplicitAny: a story reads records of every shape
type Json = any;

export interface FirstSaleOptions {
  /** The merchant, with an organization token. */
  merchant: Api;
  webhooks: WebhookReceiver;
  /** Told what happened after each step. */
  tell?: (step: string, detail: string) => void | Promise<void>;
}

/**
 * From an empty catalog to a paid order, granted benefits, metered usage and a verified webhook. Throws at the first
 * step that does not end as it must.
 */
export async function firstSale({ merchant, webhooks, tell = () => undefined }: FirstSaleOptions) {
  const run = crypto.randomUUID().slice(0, 8);
  const meter = expectStatus(
    await merchant.post('/v1/meters/', {
      name: `API calls ${run}`,
      filter: {
        conjunction: 'and',
        clauses: [{ property: 'name', operator: 'eq', value: `api_call_${run}` }],
      },
      aggregation: { func: 'count' },
    }),
    201,
  );
  await tell('meter', `${meter.name} (${meter.id})`);

  const endpoint = expectStatus(
    await merchant.post('/v1/webhooks/endpoints', {
      url: webhooks.url,
      format: 'raw',
      events: ['order.paid', 'benefit_grant.created'],
    }),
    201,
  );
  webhooks.trust(endpoint.secret);
  await tell('webhook endpoint', endpoint.url);

  const product = await createProduct(merchant, meter.id, run);
  await tell(
    'product',
    `${product.name}: ${product.prices.length} prices, ${product.benefits.length} benefits`,
  );

  const externalId = `customer-${run}`;
  const checkout = expectStatus(
    await merchant.post('/v1/checkouts/', {
      products: [product.id],
      external_customer_id: externalId,
      metadata: { run },
    }),
    201,
  );
  await tell(
    'checkout',
    `${checkout.status}, ${checkout.total_amount} ${checkout.currency}, ${checkout.url}`,
  );
  await buy(merchant.as(undefined), checkout.client_secret, run);

  const paid = await until('checkout succeeded', async () => {
    const { status } = expectStatus(await merchant.get(`/v1/checkouts/${checkout.id}`), 200);
    return status === 'succeeded';
  });
  await tell('buyer paid', `checkout succeeded after ${paid.ms} ms`);

  const customer = expectStatus(await merchant.get(`/v1/customers/external/${externalId}`), 200);
  const order = only<Json>(
    expectStatus(await merchant.get(`/v1/orders/?customer_id=${customer.id}`), 200).items,
  );
  must(
    order.status === 'paid' && order.total_amount === 1_000 && order.paid,
    `order is ${order.status}, ${order.total_amount}`,
  );
  await tell('order', `${order.invoice_number} ${order.status}, ${order.total_amount} ${order.currency}`);

  const subscription = only<Json>(
    expectStatus(await merchant.get(`/v1/subscriptions/?customer_id=${customer.id}`), 200).items,
  );
  must(subscription.status === 'active', `subscription is ${subscription.status}`);
  await tell('subscription', `${subscription.status} until ${subscription.current_period_end}`);

  const granted = await until('both benefits granted', async () => {
    const { items } = expectStatus(
      await merchant.get(`/v1/benefit-grants/?customer_id=${customer.id}&is_granted=true`),
      200,
    );
    return items.length === 2;
  });
  const [keyBenefit] = product.benefits.filter(
    (benefit: { type: string }) => benefit.type === 'license_keys',
  );
  const key = only<Json>(
    expectStatus(await merchant.get(`/v1/license-keys/?benefit_id=${keyBenefit.id}`), 200).items,
  );
  must(key.status === 'granted' && key.limit_activations === 3, `license key is ${key.status}`);
  await tell('benefits', `granted after ${granted.ms} ms; license key ${key.display_key}`);

  const meterQuery = `/v1/customer-meters/?customer_id=${customer.id}&meter_id=${meter.id}`;
  await until('meter credited', async () => {
    const [row] = expectStatus(await merchant.get(meterQuery), 200).items;
    return row?.credited_units === CREDITED_UNITS;
  });
  const usage = await ingest(merchant, `api_call_${run}`, externalId, run);
  await tell('usage', `${usage.inserted} inserted, ${usage.duplicates} duplicates`);
  must(
    usage.inserted === EVENTS - DUPLICATES && usage.duplicates === DUPLICATES,
    'events were lost or counted twice',
  );

  const customerMeter = only<Json>(expectStatus(await merchant.get(meterQuery), 200).items);
  const balance = CREDITED_UNITS - usage.inserted;
  must(
    customerMeter.consumed_units === usage.inserted,
    `consumed ${customerMeter.consumed_units}, expected ${usage.inserted}`,
  );
  must(customerMeter.balance === balance, `balance ${customerMeter.balance}, expected ${balance}`);
  await tell(
    'customer meter',
    `${customerMeter.credited_units} credited - ${customerMeter.consumed_units} consumed = ${customerMeter.balance}`,
  );

  const userEvent = await oneEvent(merchant, `name=api_call_${run}`);
  const systemEvent = await oneEvent(merchant, `name=order.paid&customer_id=${customer.id}`);
  must(userEvent.source === 'user' && systemEvent.source === 'system', 'event sources are mixed up');
  must(systemEvent.metadata.order_id === order.id, 'order.paid names another order');
  await tell(
    'events',
    `${userEvent.name} (${userEvent.source}) and ${systemEvent.name} (${systemEvent.source}) read by id`,
  );

  const told = await until('webhook received', async () =>
    webhooks.received.some((webhook) => webhook.type === 'order.paid'),
  );
  const webhook = webhooks.received.find((received) => received.type === 'order.paid')!;
  must(
    webhook.data.id === order.id && webhooks.refused === 0,
    'the webhook is not the order’s, or a signature did not hold',
  );
  await tell('webhook', `order.paid verified after ${told.ms} ms more`);
  return { customer, order, subscription, product, meter, key, checkout };
}

async function createProduct(merchant: Api, meterId: string, run: string) {
  const prices = [
    { amount_type: 'fixed', price_amount: 1_000, price_currency: 'usd' },
    { amount_type: 'metered_unit', meter_id: meterId, unit_amount: '0.5', price_currency: 'usd' },
  ];
  const product = expectStatus(
    await merchant.post('/v1/products/', { name: `Pro ${run}`, recurring_interval: 'month', prices }),
    201,
  );
  const licenseKeys = expectStatus(
    await merchant.post('/v1/benefits/', {
      type: 'license_keys',
      description: 'Desktop license',
      properties: { prefix: 'TRB', activations: { limit: 3, enable_customer_admin: true } },
    }),
    201,
  );
  const credits = expectStatus(
    await merchant.post('/v1/benefits/', {
      type: 'meter_credit',
      description: 'Included API calls',
      properties: { meter_id: meterId, units: CREDITED_UNITS, rollover: false },
    }),
    201,
  );
  return expectStatus(
    await merchant.post(`/v1/products/${product.id}/benefits`, { benefits: [licenseKeys.id, credits.id] }),
    200,
  );
}

async function buy(buyer: Api, clientSecret: string, run: string) {
  const path = `/v1/checkouts/client/${clientSecret}`;
  expectStatus(await buyer.get(path), 200);
  const details = {
    customer_name: 'Ada Buyer',
    customer_email: `ada-${run}@example.com`,
    customer_billing_address: {
      country: 'US',
      state: 'US-NY',
      line1: '1 Main St',
      city: 'New York',
      postal_code: '10001',
    },
  };
  expectStatus(await buyer.patch(path, details), 200);
  const confirmed = expectStatus(
    await buyer.post(`${path}/confirm`, { confirmation_token_id: 'tok_visa' }),
    200,
  );
  must(confirmed.status === 'confirmed', `checkout is ${confirmed.status} after the confirmation`);
}

/** Sends 10,000 events in batches; the last tenth repeats events sent before. */
async function ingest(merchant: Api, name: string, externalCustomerId: string, run: string) {
  const fresh = EVENTS - DUPLICATES;
  const totals = { inserted: 0, duplicates: 0 };
  for (let start = 0; start < EVENTS; start += BATCH) {
    const events = Array.from({ length: BATCH }, (_, offset) => ({
      name,
      external_customer_id: externalCustomerId,
      external_id: `${run}-${(start + offset) % fresh}`,
      metadata: { path: '/v1/things', ms: offset },
    }));
    const counted = expectStatus(await merchant.post('/v1/events/ingest', { events }), 200);
    totals.inserted += counted.inserted;
    totals.duplicates += counted.duplicates;
  }
  return totals;
}

async function oneEvent(merchant: Api, query: string) {
  await until(
    `event ${query}`,
    async () => expectStatus(await merchant.get(`/v1/events/?${query}&limit=1`), 200).items.length === 1,
  );
  const [{ id }] = expectStatus(await merchant.get(`/v1/events/?${query}&limit=1`), 200).items;
  return expectStatus(await merchant.get(`/v1/events/${id}`), 200);
}

const WAIT_MS = 30_000;

/** Asks every 20 ms until the answer is yes; 30 s at most. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<{ ms: number }> {
  const startedAt = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedAt > WAIT_MS) throw new Error(`${what}: not within ${WAIT_MS} ms`);
    await pause(20);
  }
  return { ms: Math.round(performance.now() - startedAt) };
}

function only<T>(items: readonly T[]): T {
  must(items.length === 1, `${items.length} records where one was expected`);
  return items[0]!;
}

function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startWebhookReceiver, type WebhookReceiver } from '../story/webhook-receiver.ts';
import { type Attempts, insistentClient, Unacknowledged } from './insistent-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: the load reads records of every shape
type Json = any;

export const CREDITED_UNITS = 1_000;
export const PRICE = 1_000;
const METERED_CUSTOMERS = 5;
const EVENTS_PER_INGEST = 20;

export interface Purchase {
  checkout_id: string;
  external_customer_id: string;
}

/** What the load has sent, and what of it was acknowledged. */
export interface Record {
  /** Confirmed checkouts whose confirmation was answered. */
  purchases: Purchase[];
  /** Confirmations that were sent and never answered. */
  uncertainPurchases: Purchase[];
  /** External ids of events whose ingest was answered, in order. */
  events: string[];
  uncertainEvents: string[];
  /** What the test got wrong: refusals that no fault explains. */
  errors: string[];
}

export interface Load {
  record: Record;
  attempts: Attempts;
  webhooks: WebhookReceiver;
  token: string;
  eventName: string;
  meterId: string;
  /** Begins to buy and ingest, `buyers` and `ingesters` at a time; the function it returns resolves when all is answered. */
  begin(crowd: { buyers: number; ingesters: number; pauseMs: number }): () => Promise<void>;
  stop(): Promise<void>;
}

/** A merchant with a product, a meter and a webhook endpoint, and the crowd that keeps them busy. */
export async function createLoad(baseUrl: string, token: string, patienceMs: () => number): Promise<Load> {
  const { insist, attempts } = insistentClient(baseUrl, patienceMs);
  const webhooks = await startWebhookReceiver();
  const run = randomUUID().slice(0, 8);
  const eventName = `api_call_${run}`;
  const record: Record = {
    purchases: [],
    uncertainPurchases: [],
    events: [],
    uncertainEvents: [],
    errors: [],
  };
  const create = async (path: string, body: unknown): Promise<Json> =>
    insist({ method: 'POST', path, body, token, key: randomUUID() });

  const meter = await create('/v1/meters/', {
    name: `API calls ${run}`,
    filter: { conjunction: 'and', clauses: [{ property: 'name', operator: 'eq', value: eventName }] },
    aggregation: { func: 'count' },
  });
  const endpoint = await create('/v1/webhooks/endpoints', {
    url: webhooks.url,
    format: 'raw',
    events: ['order.paid'],
  });
  webhooks.trust(endpoint.secret);
  const product = await createProduct(create, meter.id, run);
  const metered = Array.from({ length: METERED_CUSTOMERS }, (_, number) => `metered-${run}-${number}`);
  for (const external_id of metered)
    await create('/v1/customers/', { external_id, email: `${external_id}@example.com` });

  let number = 0;
  const buyOnce = async () => {
    number += 1;
    const external_customer_id = `buyer-${run}-${number}`;
    const checkout = await create('/v1/checkouts/', { products: [product.id], external_customer_id });
    const path = `/v1/checkouts/client/${checkout.client_secret}`;
    await insist({ method: 'PATCH', path, body: buyer(external_customer_id), key: randomUUID() });
    const purchase = { checkout_id: checkout.id, external_customer_id };
    const confirmation = { confirmation_token_id: 'tok_visa' };
    try {
      await insist({ method: 'POST', path: `${path}/confirm`, body: confirmation, key: randomUUID() });
      record.purchases.push(purchase);
    } catch (error) {
      record.uncertainPurchases.push(purchase);
      throw error;
    }
  };
  const ingestOnce = async () => {
    const events = Array.from({ length: EVENTS_PER_INGEST }, (_, index) => ({
      name: eventName,
      external_customer_id: metered[index % metered.length],
      external_id: randomUUID(),
      metadata: { place: index },
    }));
    const ids = events.map((event) => event.external_id);
    try {
      await insist({ method: 'POST', path: '/v1/events/ingest', body: { events }, token });
      record.events.push(...ids);
    } catch (error) {
      record.uncertainEvents.push(...ids);
      throw error;
    }
  };
  return {
    record,
    attempts,
    webhooks,
    token,
    eventName,
    meterId: meter.id,
    begin({ buyers, ingesters, pauseMs }) {
      let isOver = false;
      const work = async (once: () => Promise<void>) => {
        while (!isOver) {
          await once().catch((error: unknown) => {
            if (!(error instanceof Unacknowledged)) record.errors.push(String(error));
          });
          await pause(pauseMs);
        }
      };
      const workers = [
        ...Array.from({ length: buyers }, () => work(buyOnce)),
        ...Array.from({ length: ingesters }, () => work(ingestOnce)),
      ];
      return async () => {
        isOver = true;
        await Promise.all(workers);
      };
    },
    stop: webhooks.stop,
  };
}

async function createProduct(
  create: (path: string, body: unknown) => Promise<Json>,
  meter_id: string,
  run: string,
) {
  const prices = [{ amount_type: 'fixed', price_amount: PRICE, price_currency: 'usd' }];
  const product = await create('/v1/products/', { name: `Pro ${run}`, recurring_interval: 'month', prices });
  const licenseKeys = await create('/v1/benefits/', {
    type: 'license_keys',
    description: 'Desktop license',
    properties: { prefix: 'TRB' },
  });
  const credits = await create('/v1/benefits/', {
    type: 'meter_credit',
    description: 'Included API calls',
    properties: { meter_id, units: CREDITED_UNITS, rollover: false },
  });
  return create(`/v1/products/${product.id}/benefits`, { benefits: [licenseKeys.id, credits.id] });
}

const buyer = (externalId: string) => ({
  customer_name: 'Ada Buyer',
  customer_email: `${externalId}@example.com`,
  customer_billing_address: {
    country: 'US',
    state: 'US-NY',
    line1: '1 Main St',
    city: 'New York',
    postal_code: '10001',
  },
});

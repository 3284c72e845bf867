import { randomUUID } from 'node:crypto';
import { startWebhookReceiver, type WebhookReceiver } from '../story/webhook-receiver.ts';
import { insistentClient } from './insistent-client.ts';
import type { ChaosPlatform } from './platform.ts';

// biome-ignore lint/suspicious/noExplicitAny: the load reads records of every shape
type Json = any;

export const CREDITED_UNITS = 1_000;
export const PRICE = 1_000;

/** Above the time after which a request whose process died is answered again under its key. */
const PATIENCE_MS = 90_000;

/** The first organization's team, with an endpoint that hears of every order. */
export interface Merchant {
  baseUrl: string;
  token: string;
  organizationId: string;
  webhooks: WebhookReceiver;
  /** Ids of messages that nobody can handle; they may be found long after they came. */
  poison: Set<string>;
  stop(): Promise<void>;
}

export async function createMerchant({ baseUrl, first }: ChaosPlatform): Promise<Merchant> {
  const token = first.organization_access_token;
  const webhooks = await startWebhookReceiver();
  const endpoint = await writer(baseUrl, token)('POST', '/v1/webhooks/endpoints', {
    url: webhooks.url,
    format: 'raw',
    events: ['order.paid'],
  });
  webhooks.trust(endpoint.secret);
  return {
    baseUrl,
    token,
    organizationId: first.organization.id,
    webhooks,
    poison: new Set(),
    stop: webhooks.stop,
  };
}

/** What one load is about: nothing of it is shared with another load. */
export interface Assortment {
  run: string;
  eventName: string;
  meter: Json;
  product: Json;
  licenseKeys: Json;
  /** Customers whose usage is counted, by external id. */
  metered: string[];
  /** A customer who is changed again and again. */
  changing: Json;
}

const METERED_CUSTOMERS = 5;

export async function createAssortment({ baseUrl, token }: Merchant): Promise<Assortment> {
  const write = writer(baseUrl, token);
  const create = (path: string, body: unknown) => write('POST', path, body);
  const run = randomUUID().slice(0, 8);
  const eventName = `api_call_${run}`;
  const meter = await create('/v1/meters/', {
    name: `API calls ${run}`,
    filter: { conjunction: 'and', clauses: [{ property: 'name', operator: 'eq', value: eventName }] },
    aggregation: { func: 'count' },
  });
  const licenseKeys = await create('/v1/benefits/', {
    type: 'license_keys',
    description: 'Desktop license',
    properties: { prefix: 'TRB' },
  });
  const credits = await create('/v1/benefits/', {
    type: 'meter_credit',
    description: 'Included API calls',
    properties: { meter_id: meter.id, units: CREDITED_UNITS, rollover: false },
  });
  const prices = [{ amount_type: 'fixed', price_amount: PRICE, price_currency: 'usd' }];
  const product = await create('/v1/products/', { name: `Pro ${run}`, recurring_interval: 'month', prices });
  await create(`/v1/products/${product.id}/benefits`, { benefits: [licenseKeys.id, credits.id] });
  const customer = (external_id: string) =>
    create('/v1/customers/', { external_id, email: `${external_id}@example.com` });
  const metered = Array.from({ length: METERED_CUSTOMERS }, (_, number) => `metered-${run}-${number}`);
  for (const external_id of metered) await customer(external_id);
  const changing = await customer(`changing-${run}`);
  return { run, eventName, meter, product, licenseKeys, metered, changing };
}

function writer(baseUrl: string, token: string) {
  const { insist } = insistentClient(baseUrl, PATIENCE_MS);
  return async (method: 'POST' | 'PATCH', path: string, body: unknown): Promise<Json> =>
    insist({ method, path, body, token, key: randomUUID() });
}

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attempts, type Insist, insistentClient, Unacknowledged } from './insistent-client.ts';
import { type Assortment, createAssortment, type Merchant } from './merchant.ts';

// biome-ignore lint/suspicious/noExplicitAny: the load reads records of every shape
type Json = any;

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
  /** Names that a customer was given one after the other. */
  names: string[];
  uncertainNames: string[];
  /** External ids of buyers whose subscription was renewed once. */
  renewed: Set<string>;
  /** Refusals that no fault explains. */
  errors: string[];
}

export interface Crowd {
  buyers: number;
  ingesters: number;
  /** Between one thing that somebody does and the next. */
  pauseMs: number;
}

export interface Load extends Assortment {
  record: Record;
  attempts: Attempts;
  merchant: Merchant;
  /** Nothing of this load is older. */
  since: Date;
  /** Ends it; resolves, with the time it lasted, when everything that was sent is answered. */
  end(): Promise<number>;
}

/** Begins to buy, to ingest and to change a customer, and goes on until the end. */
export async function beginLoad(merchant: Merchant, crowd: Crowd, patienceMs: number): Promise<Load> {
  const since = new Date();
  const assortment = await createAssortment(merchant);
  const { insist, attempts } = insistentClient(merchant.baseUrl, patienceMs);
  const record: Record = {
    purchases: [],
    uncertainPurchases: [],
    events: [],
    uncertainEvents: [],
    names: [],
    uncertainNames: [],
    renewed: new Set(),
    errors: [],
  };
  const acts = { ...assortment, insist, record, token: merchant.token };
  const ending = new AbortController();
  const work = async (act: () => Promise<void>) => {
    while (!ending.signal.aborted) {
      await act().catch((error: unknown) => {
        if (!(error instanceof Unacknowledged)) record.errors.push(String(error));
      });
      await pause(crowd.pauseMs);
    }
  };
  const startedAt = Date.now();
  const workers = [
    ...Array.from({ length: crowd.buyers }, () => work(buying(acts))),
    ...Array.from({ length: crowd.ingesters }, () => work(ingesting(acts))),
    work(changing(acts)),
  ];
  return {
    ...assortment,
    record,
    attempts,
    merchant,
    since,
    async end() {
      ending.abort();
      await Promise.all(workers);
      return Date.now() - startedAt;
    },
  };
}

interface Acts extends Assortment {
  insist: Insist;
  record: Record;
  token: string;
}

const buying =
  ({ insist, record, token, product }: Acts) =>
  async () => {
    const external_customer_id = `buyer-${randomUUID()}`;
    const body = { products: [product.id], external_customer_id };
    const checkout: Json = await insist({
      method: 'POST',
      path: '/v1/checkouts/',
      body,
      token,
      key: randomUUID(),
    });
    const path = `/v1/checkouts/client/${checkout.client_secret}`;
    await insist({ method: 'PATCH', path, body: buyer(external_customer_id), key: randomUUID() });
    const purchase = { checkout_id: checkout.id, external_customer_id };
    await acknowledged(record.purchases, record.uncertainPurchases, [purchase], () =>
      insist({
        method: 'POST',
        path: `${path}/confirm`,
        body: { confirmation_token_id: 'tok_visa' },
        key: randomUUID(),
      }),
    );
  };

const ingesting =
  ({ insist, record, token, eventName, metered }: Acts) =>
  async () => {
    const events = Array.from({ length: EVENTS_PER_INGEST }, (_, index) => ({
      name: eventName,
      external_customer_id: metered[index % metered.length],
      external_id: randomUUID(),
      metadata: { place: index },
    }));
    const ids = events.map((event) => event.external_id);
    await acknowledged(record.events, record.uncertainEvents, ids, () =>
      insist({ method: 'POST', path: '/v1/events/ingest', body: { events }, token }),
    );
  };

/** Messages of one key, one after the other. */
function changing({ insist, record, token, changing: customer }: Acts) {
  let number = 0;
  return async () => {
    number += 1;
    const name = `Name ${number}`;
    await acknowledged(record.names, record.uncertainNames, [name], () =>
      insist({
        method: 'PATCH',
        path: `/v1/customers/${customer.id}`,
        body: { name },
        token,
        key: randomUUID(),
      }),
    );
  };
}

/** Notes the things as acknowledged, or as uncertain when the answer never came. */
async function acknowledged<T>(known: T[], uncertain: T[], things: T[], send: () => Promise<unknown>) {
  try {
    await send();
    known.push(...things);
  } catch (error) {
    uncertain.push(...things);
    throw error;
  }
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

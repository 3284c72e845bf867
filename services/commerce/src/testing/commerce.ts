import type { stateTopics as StateTopics } from '@tributary/proto/events/topics.ts';
import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { ResourcesClient } from '@tributary/runtime/replica/replica.ts';
import { type TestClock, testClock } from '@tributary/runtime/testing/clock.ts';
import { createTestDatabase } from '@tributary/runtime/testing/database.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import {
  type ServiceUnderTest,
  serviceUnderTest,
  type TestRequest,
  type TestResponse,
} from '@tributary/runtime/testing/service.ts';
import type { App } from '../app.ts';
import { consumers } from '../consumers.ts';
import { entities, migrations } from '../database.ts';
import { sandboxProcessor } from '../payments/sandbox-processor.ts';
import { createReplicas } from '../replicas.ts';
import { routes } from '../routes.ts';
import { type OrganizationGiven, organizationCopy, type ProductGiven, productCopy } from './copies.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Any = any;

/** A session that the test's identity service minted. */
export interface MintedSession {
  id: string;
  customer_id: string;
  member_id?: string;
  return_url?: string;
  expires_at: Date;
}

export interface CommerceUnderTest extends ServiceUnderTest {
  app: App;
  clock: TestClock;
  organization: ReturnType<typeof organizationCopy>;
  merchant: Principal;
  /** Sessions minted so far, and customers whose sessions were ended. */
  sessions: { minted: MintedSession[]; ended: string[] };
  /** Totals that metering answers with, by `customer meter`. */
  usage: Map<string, { consumed_units: string; credited_units: number }>;
  /** A request with an organization token of the test's organization. */
  api(method: string, target: string, body?: unknown, options?: TestRequest): Promise<TestResponse>;
  /** A request whose answer must be a success; returns its body. */
  ok(method: string, target: string, body?: unknown, options?: TestRequest): Promise<Any>;
  /** Makes a product known, as the catalog would; returns its copy. */
  product(given?: ProductGiven): ReturnType<typeof productCopy>;
  /** Makes another organization known. */
  otherOrganization(given?: OrganizationGiven): ReturnType<typeof organizationCopy>;
  /** Makes a record of another service known to who asks for it. */
  put(resource: keyof typeof StateTopics, value: { id: string }): void;
  /** Publishes a state as its owner would. */
  publish(resource: keyof typeof StateTopics, value: { id: string }): Promise<void>;
  /** Opens a session for a new buyer, fills the form in and returns it. */
  checkout(productId: string, body?: object): Promise<Any>;
  /** Confirms a session with a card. */
  confirm(secret: string, body?: object, options?: TestRequest): Promise<TestResponse>;
  /** Buys a product for a new customer; returns the checkout as it is afterwards. */
  buy(productId: string, body?: object): Promise<Any>;
  /** Messages of one type in the outbox, in order. */
  told(type: string): Promise<Any[]>;
  /** Types of the webhooks in the outbox, in order. */
  webhooks(): Promise<string[]>;
  /** How many SQL statements the work takes. */
  statementsOf(work: () => Promise<unknown>): Promise<number>;
  emptyOutbox(): Promise<void>;
}

export async function commerceUnderTest(given: OrganizationGiven = {}): Promise<CommerceUnderTest> {
  const database = await createTestDatabase('commerce', { entities, migrations });
  const clock = testClock();
  const known = new Map<string, object>();
  const owner = {
    getResources: async ({ resource, ids }: { resource: string; ids: string[] }) => ({
      resources: ids.flatMap((id) => {
        const value = known.get(`${resource} ${id}`);
        return value ? [{ id, value: { ...value } }] : [];
      }),
    }),
  } as ResourcesClient;
  const sessions: CommerceUnderTest['sessions'] = { minted: [], ended: [] };
  const usage: CommerceUnderTest['usage'] = new Map();
  const sandbox = sandboxProcessor(database.db);
  const app: App = {
    db: database.db,
    clock,
    log: createLog({ service: 'commerce', level: 'silent' }),
    replicas: createReplicas({ identity: owner, catalog: owner, metering: owner }),
    sessions: identityDouble(sessions, clock),
    catalog: catalogDouble(clock),
    metering: meteringDouble(usage),
    secret: 'a secret that only tests know, 32+ characters',
    processor: sandbox,
    sandbox,
    publicUrl: 'https://pay.test',
  };
  const service = await serviceUnderTest({
    service: 'commerce',
    routes,
    consumers: consumers(app),
    app,
    db: database.db,
    now: () => clock.now(),
  });
  const put: CommerceUnderTest['put'] = (resource, value) => void known.set(`${resource} ${value.id}`, value);
  const organization = organizationCopy(given);
  put('organizations', organization);
  const merchant = organizationToken(organization.id);
  const api: CommerceUnderTest['api'] = (method, target, body, options) =>
    service.request(method, target, { as: merchant, body, ...options });
  const ok: CommerceUnderTest['ok'] = async (method, target, body, options) => {
    const answer = await api(method, target, body, options);
    if (answer.status >= 300)
      throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const confirm: CommerceUnderTest['confirm'] = (secret, body = {}, options = {}) =>
    service.request('POST', `/v1/checkouts/client/${secret}/confirm`, {
      body: { confirmation_token_id: 'tok_visa', ...body },
      ...options,
    });
  const checkout: CommerceUnderTest['checkout'] = (productId, body = {}) =>
    ok('POST', '/v1/checkouts/', { products: [productId], ...buyer(), ...body });
  const told: CommerceUnderTest['told'] = async (type) => {
    const rows = await service.outbox();
    return rows.filter((row) => row.type === type).map((row) => row.value);
  };
  return {
    ...service,
    app,
    clock,
    organization,
    merchant,
    sessions,
    usage,
    api,
    ok,
    put,
    product(body = {}) {
      const product = productCopy({ organization_id: organization.id, ...body });
      put('products', product);
      return product;
    },
    otherOrganization(body = {}) {
      const other = organizationCopy(body);
      put('organizations', other);
      return other;
    },
    publish: (resource, value) =>
      service.deliver({
        topic: stateTopics[resource].name,
        key: value.id,
        type: `${resource}.changed`,
        value,
      }),
    checkout,
    confirm,
    async buy(productId, body = {}) {
      const opened = await checkout(productId, body);
      const answer = await confirm(opened.client_secret);
      if (answer.status !== 200) throw new Error(`confirm: ${answer.status} ${JSON.stringify(answer.body)}`);
      return ok('GET', `/v1/checkouts/${opened.id}`);
    },
    told,
    webhooks: async () =>
      (await service.outbox()).filter((row) => row.topic === 'tributary.webhooks').map((row) => row.type),
    statementsOf: (work) => countStatements(app, work),
    emptyOutbox: () => database.db.query('delete from outbox'),
    async stop() {
      await service.stop();
      await database.drop();
    },
  };
}

/** Who fills a form in, each time somebody else. */
export const buyer = () => ({
  customer_name: 'Ada Buyer',
  customer_email: `ada-${newId().slice(0, 18)}@example.com`,
  customer_billing_address: {
    country: 'US',
    state: 'NY',
    line1: '1 Main St',
    city: 'New York',
    postal_code: '10001',
  },
});

const HOUR_MS = 3_600_000;

function identityDouble(sessions: CommerceUnderTest['sessions'], clock: TestClock): App['sessions'] {
  return {
    async createSession({ customer_id, member_id, return_url }) {
      const expires_at = new Date(clock.now().getTime() + HOUR_MS);
      const session = { id: newId(), customer_id, member_id, return_url, expires_at };
      sessions.minted.push(session);
      return {
        id: session.id,
        token: `trb_${member_id ? 'mst' : 'cst'}_${session.id}`,
        expires_at,
        return_url,
      };
    },
    async getSession({ id }) {
      const { expires_at, return_url } = sessions.minted.find((session) => session.id === id)!;
      return { id, token: '', expires_at, return_url };
    },
    async endSessions({ customer_id }) {
      sessions.ended.push(customer_id);
      return {};
    },
  };
}

/** Makes a price of what is given as the catalog would, and finds every price below 0.50 faulty. */
const catalogDouble = (clock: TestClock): App['catalog'] => ({
  async makePrices({ products }) {
    const made = { created_at: clock.now().toISOString(), modified_at: null, source: 'ad_hoc' };
    const given = products.map(({ product_id, prices }) => ({
      product_id,
      prices: JSON.parse(prices) as Any[],
    }));
    const faults = given.flatMap(({ product_id, prices }) =>
      prices.flatMap(({ price_amount }, index) =>
        price_amount < 50
          ? {
              product_id,
              path: [index, 'price_amount'],
              msg: 'Too little.',
              type: 'value_error',
              input: price_amount,
            }
          : [],
      ),
    );
    return {
      products: given.map(({ product_id, prices }) => ({
        product_id,
        prices: prices.map((price) => ({
          id: newId(),
          ...made,
          price_currency: 'usd',
          tax_behavior: null,
          is_archived: false,
          product_id,
          ...price,
        })),
      })),
      faults,
    };
  },
});

function meteringDouble(usage: CommerceUnderTest['usage']): App['metering'] {
  const of = (customer_id: string, meter_id: string) =>
    usage.get(`${customer_id} ${meter_id}`) ?? { consumed_units: '0', credited_units: 0 };
  return {
    getCustomerMeters: async ({ keys }) => ({
      totals: keys.map((key) => ({ ...key, ...of(key.customer_id, key.meter_id) })),
    }),
    getUsage: async ({ customer_id, periods }) => ({
      usages: periods.map(({ meter_id }) => ({ meter_id, ...of(customer_id, meter_id) })),
    }),
  };
}

async function countStatements(app: App, work: () => Promise<unknown>): Promise<number> {
  const driver = app.db.driver as unknown as {
    master: { on(event: string, listener: (client: Any) => void): void };
  };
  const clients = new Set<Any>();
  let count = 0;
  driver.master.on('acquire', (client) => {
    if (clients.has(client)) return;
    clients.add(client);
    const query = client.query.bind(client);
    client.query = (...args: unknown[]) => {
      count += 1;
      return query(...args);
    };
  });
  await work();
  return count;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventTopics, stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import type { ResourcesClient } from '@tributary/runtime/replica/replica.ts';
import { type TestClock, testClock } from '@tributary/runtime/testing/clock.ts';
import { createTestDatabase } from '@tributary/runtime/testing/database.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import {
  type ServiceUnderTest,
  serviceUnderTest,
  type TestRequest,
} from '@tributary/runtime/testing/service.ts';
import type { App } from '../app.ts';
import { consumers } from '../consumers.ts';
import { entities, migrations } from '../database.ts';
import { fileLinks } from '../files/links.ts';
import { localStorage } from '../files/local-storage.ts';
import { jobs } from '../jobs.ts';
import {
  type CustomerCopy,
  createReplicas,
  type MemberCopy,
  type MeterCopy,
  type OrganizationCopy,
} from '../replicas.ts';
import { routes } from '../routes.ts';

/** Records of other services, as their owners would give them when asked. */
export interface Elsewhere {
  put(resource: keyof typeof stateTopics | 'orders', value: { id: string }): void;
}

/** A subscription as far as the catalog reads it. */
export interface SubscriptionState {
  id: string;
  status: string;
  product_id: string;
  customer_id: string;
  seats: number | null;
  checkout_id: string | null;
  past_due_at: string | null;
}

export interface CatalogUnderTest extends ServiceUnderTest {
  app: App;
  clock: TestClock;
  elsewhere: Elsewhere;
  /** A request with an organization token of the test's organization. */
  api(
    method: string,
    target: string,
    body?: unknown,
    options?: TestRequest,
  ): ReturnType<ServiceUnderTest['request']>;
  organization: OrganizationCopy;
  merchant: Principal;
  /** Creates a record and returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  make(path: string, body: object): Promise<any>;
  benefit(type: string, properties?: object, body?: object): ReturnType<CatalogUnderTest['make']>;
  /** A product at 10.00 a month, or what `body` says, with benefits. */
  product(body?: object, benefits?: readonly { id: string }[]): ReturnType<CatalogUnderTest['make']>;
  /** Has a customer pay for a one-time product; returns the order's id. */
  buy(productId: string, customerId: string): Promise<string>;
  /** Gives a customer an active subscription, or what `given` says; returns its state. */
  subscribe(productId: string, customerId: string, given?: object): Promise<SubscriptionState>;
  /** Publishes a state as its owner would. */
  publish(resource: keyof typeof stateTopics, id: string, value: object | null): Promise<void>;
  /** Runs the jobs until nothing is due. */
  settle(): Promise<void>;
  customer(given?: Partial<CustomerCopy>): CustomerCopy;
  member(customer: CustomerCopy, given?: Partial<MemberCopy>): MemberCopy;
  meter(given?: Partial<MeterCopy>): MeterCopy;
  /** How many SQL statements the work takes. */
  statementsOf(work: () => Promise<unknown>): Promise<number>;
  /** Messages of one type in the outbox, about one record if it is named, in order. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages of every shape
  told(type: string, subject?: string): Promise<any[]>;
}

export async function catalogUnderTest(): Promise<CatalogUnderTest> {
  const database = await createTestDatabase('catalog', { entities, migrations });
  const folder = await mkdtemp(join(tmpdir(), 'catalog-files-'));
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
  const links = fileLinks('https://shop.test', 'a secret that only tests know, 32+ characters');
  const app: App = {
    db: database.db,
    clock,
    replicas: createReplicas({ identity: owner, commerce: owner, metering: owner }),
    commerce: owner,
    storage: localStorage(folder, links),
    links,
  };
  const service = await serviceUnderTest({
    service: 'catalog',
    routes,
    consumers: consumers(app),
    app,
    db: database.db,
    now: () => clock.now(),
  });
  const elsewhere: Elsewhere = { put: (resource, value) => void known.set(`${resource} ${value.id}`, value) };
  const organization = organizationCopy();
  elsewhere.put('organizations', organization);
  const merchant = organizationToken(organization.id);
  const api: CatalogUnderTest['api'] = (method, target, body, options) =>
    service.request(method, target, { as: merchant, body, ...options });
  const publish: CatalogUnderTest['publish'] = (resource, id, value) =>
    service.deliver({
      topic: stateTopics[resource].name,
      key: id,
      type: `${resource}.${value ? 'changed' : 'deleted'}`,
      value,
    });
  const make: CatalogUnderTest['make'] = async (path, body) => {
    const made = await api('POST', path, body);
    if (made.status !== 201) throw new Error(`${path}: ${made.status} ${JSON.stringify(made.body)}`);
    return made.body;
  };
  return {
    ...service,
    app,
    clock,
    elsewhere,
    organization,
    merchant,
    api,
    make,
    benefit: (type, properties = {}, body = {}) =>
      make('/v1/benefits/', { type, description: `Some ${type}`, properties, ...body }),
    async product(body = {}, benefits) {
      const product = await make('/v1/products/', {
        name: 'Pro',
        recurring_interval: 'month',
        prices: [{ amount_type: 'fixed', price_amount: 1000 }],
        ...body,
      });
      if (!benefits) return product;
      const ids = benefits.map((benefit) => benefit.id);
      return (await api('POST', `/v1/products/${product.id}/benefits`, { benefits: ids })).body;
    },
    async buy(product_id, customer_id) {
      const order_id = newId();
      const value = { name: 'order.paid', customer_id, metadata: { order_id, product_id, amount: 1000 } };
      await service.deliver({ topic: eventTopics.order.name, key: customer_id, type: 'order.paid', value });
      return order_id;
    },
    async subscribe(product_id, customer_id, given = {}) {
      const blank = { id: newId(), status: 'active', seats: null, checkout_id: null, past_due_at: null };
      const state: SubscriptionState = { ...blank, product_id, customer_id, ...given };
      await publish('subscriptions', state.id, state);
      return state;
    },
    publish,
    async settle() {
      for (const job of jobs) while (await job.run(app, clock.now()));
    },
    customer: (given) => {
      const customer = { ...customerCopy(organization.id), ...given };
      elsewhere.put('customers', customer);
      return customer;
    },
    member: (customer, given) => {
      const member = { ...memberCopy(customer.id), ...given };
      elsewhere.put('members', member);
      return member;
    },
    meter: (given) => {
      const meter = { ...meterCopy(organization.id), ...given };
      elsewhere.put('meters', meter);
      return meter;
    },
    async statementsOf(work) {
      let count = 0;
      const { logger } = database.db;
      database.db.logger = Object.assign(Object.create(logger), {
        logQuery() {
          count += 1;
        },
      });
      await work();
      database.db.logger = logger;
      return count;
    },
    async told(type, subject) {
      const rows: { value: object }[] = await database.db.query(
        'select value from outbox where type = $1 and ($2::text is null or subject = $2) order by position',
        [type, subject ?? null],
      );
      return rows.map((row) => row.value);
    },
    async stop() {
      await service.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const organizationCopy = (given: Partial<OrganizationCopy> = {}): OrganizationCopy => ({
  id: newId(),
  created_at: '2026-01-01T00:00:00.000Z',
  modified_at: null,
  name: 'Acme',
  slug: `acme-${newId().slice(-12)}`,
  avatar_url: null,
  proration_behavior: 'prorate',
  allow_customer_updates: true,
  default_presentment_currency: 'usd',
  feature_settings: {
    seat_based_pricing_enabled: true,
    meter_cycling_enabled: true,
    member_model_enabled: true,
    checkout_localization_enabled: false,
  },
  subscription_settings: { benefit_revocation_grace_period: 0 },
  customer_portal_settings: {
    usage: { show: true },
    subscription: { update_seats: true, update_plan: true, pause: false },
    customer: { allow_email_change: false },
  },
  ...given,
});

const customerCopy = (organization_id: string): CustomerCopy => {
  const id = newId();
  return {
    id,
    created_at: '2026-01-02T00:00:00.000Z',
    modified_at: null,
    metadata: {},
    external_id: `external-${id.slice(-12)}`,
    email: `${id.slice(-12)}@example.com`,
    email_verified: false,
    type: 'individual',
    name: 'Ada',
    billing_name: 'Ada',
    billing_address: null,
    tax_id: null,
    locale: null,
    organization_id,
    default_payment_method_id: null,
    deleted_at: null,
    first_user_event_at: null,
    avatar_url: null,
  };
};

const memberCopy = (customer_id: string): MemberCopy => {
  const id = newId();
  return {
    id,
    created_at: '2026-01-02T00:00:00.000Z',
    modified_at: null,
    customer_id,
    email: `${id.slice(-12)}@example.com`,
    name: null,
    external_id: `member-${id.slice(-12)}`,
    role: 'member',
  };
};

const meterCopy = (organization_id: string): MeterCopy => ({
  id: newId(),
  name: 'API calls',
  unit: 'scalar',
  custom_label: null,
  custom_multiplier: null,
  archived_at: null,
  organization_id,
});

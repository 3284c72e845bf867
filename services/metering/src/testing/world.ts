import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import type { PrincipalOf } from '@tributary/proto/principal.ts';
import type { ResourcesClient } from '@tributary/runtime/replica/replica.ts';
import { type TestClock, testClock } from '@tributary/runtime/testing/clock.ts';
import { createTestDatabase, type TestDatabase } from '@tributary/runtime/testing/database.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type ServiceUnderTest, serviceUnderTest } from '@tributary/runtime/testing/service.ts';
import type { App } from '../app.ts';
import { consumers } from '../consumers.ts';
import { entities, migrations } from '../database.ts';
import { createIngest } from '../ingest/collector.ts';
import { type CustomerCopy, createReplicas } from '../replicas.ts';
import { routes } from '../routes.ts';

/** Metering on a database of its own, with owners of other services' records that know what they are told. */
export interface World {
  app: App;
  databaseUrl: string;
  clock: TestClock;
  service: ServiceUnderTest;
  organization: string;
  merchant: PrincipalOf<'organization'>;
  /** Records that the other services have, by id; found when they are asked for. */
  elsewhere: Map<string, object>;
  /** A customer that has reached the copies, through its state topic. */
  addCustomer(given?: Partial<CustomerCopy>): Promise<CustomerCopy>;
  /** A record of another service reaches the copies. */
  replicate(resource: keyof typeof stateTopics, value: { id: string }): Promise<void>;
  ingest(
    events: object[],
    as?: PrincipalOf<'organization'>,
  ): Promise<{ inserted: number; duplicates: number }>;
  createMeter(given?: object): Promise<{ id: string; [field: string]: unknown }>;
  /** Consumed and credited units and the balance, or undefined where the customer meter has not appeared. */
  balanceOf(
    customer: string,
    meter: string,
  ): Promise<{ consumed: number; credited: number; balance: number } | undefined>;
  stop(): Promise<void>;
}

export const START = '2026-06-15T12:00:00.000Z';

export async function createWorld(): Promise<World> {
  const database: TestDatabase = await createTestDatabase('metering', { entities, migrations });
  const clock = testClock(START);
  const elsewhere = new Map<string, object>();
  const owner = ownerOf(elsewhere);
  const app: App = {
    db: database.db,
    clock,
    owners: { commerce: owner, catalog: owner },
    replicas: createReplicas({ commerce: owner, catalog: owner }),
    ingest: createIngest(database.url),
  };
  const service = await serviceUnderTest({
    service: 'metering',
    routes,
    consumers: consumers(app),
    app,
    db: database.db,
    now: () => clock.now(),
  });
  const organization = newId();
  const merchant = organizationToken(organization);

  async function replicate(resource: keyof typeof stateTopics, value: { id: string }): Promise<void> {
    await service.deliver({
      topic: stateTopics[resource].name,
      key: value.id,
      type: `${resource}.changed`,
      value,
    });
  }

  return {
    app,
    databaseUrl: database.url,
    clock,
    service,
    organization,
    merchant,
    elsewhere,
    replicate,
    async addCustomer(given = {}) {
      const customer = customerOf({ organization_id: organization, ...given });
      await replicate('customers', customer);
      return customer;
    },
    async ingest(events, as = merchant) {
      const { status, body } = await service.request('POST', '/v1/events/ingest', { as, body: { events } });
      if (status !== 200) throw new Error(`ingest answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    async createMeter(given = {}) {
      const { status, body } = await service.request('POST', '/v1/meters/', {
        as: merchant,
        body: { name: 'API calls', filter: named('api_call'), aggregation: { func: 'count' }, ...given },
      });
      if (status !== 201) throw new Error(`meter answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    async balanceOf(customer, meter) {
      const { body } = await service.request(
        'GET',
        `/v1/customer-meters/?customer_id=${customer}&meter_id=${meter}`,
        { as: merchant },
      );
      const [row] = body.items;
      return row && { consumed: row.consumed_units, credited: row.credited_units, balance: row.balance };
    },
    async stop() {
      await service.stop();
      await app.ingest.close();
      await database.drop();
    },
  };
}

/** A filter on the event's name. */
export const named = (value: string) => ({
  conjunction: 'and',
  clauses: [{ property: 'name', operator: 'eq', value }],
});

export function customerOf(given: Partial<CustomerCopy> & { organization_id: string }): CustomerCopy {
  const id = given.id ?? newId();
  return {
    id,
    created_at: START,
    modified_at: null,
    metadata: {},
    external_id: null,
    email: `${id}@example.com`,
    email_verified: false,
    type: 'individual',
    name: `Customer ${id}`,
    billing_name: null,
    billing_address: null,
    tax_id: null,
    locale: null,
    default_payment_method_id: null,
    deleted_at: null,
    first_user_event_at: null,
    avatar_url: null,
    ...given,
  };
}

const ownerOf = (elsewhere: Map<string, object>): ResourcesClient => ({
  getResources: async ({ ids }) => ({
    resources: ids.flatMap((id) => {
      const value = elsewhere.get(id);
      return value ? [{ id, value: { ...value } }] : [];
    }),
  }),
});

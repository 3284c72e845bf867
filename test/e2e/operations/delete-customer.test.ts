import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@tributary/runtime/clock.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import pg from 'pg';
import { expectStatus } from '../../story/api.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../story/webhook-receiver.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import { expectInvalid, expectMerchantAccess, expectProblem, listAll } from './expectations.ts';
import {
  address,
  buy,
  grantsOf,
  makeBenefit,
  makeCustomer,
  makeKeyBenefit,
  makeProduct,
  monthly,
  sessionOf,
  word,
} from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const path = (externalId: string, query = '') =>
  `/v1/customers/external/${encodeURIComponent(externalId)}${query}`;
/** Runs as the machine's clock does, as far ahead of it as it was told. */
let aheadMs = 0;
const clock: Clock = { now: () => new Date(Date.now() + aheadMs) };
/** What is told late, while the wish to be forgotten makes its way, is looked for again after this time. */
const SWEEP_MS = 11 * 60_000;
/** The look happens within a minute of it. */
const SWEPT_WITHIN_MS = 90_000;

let platform: TestPlatform;
let receiver: WebhookReceiver;
let product: Json;

beforeAll(async () => {
  [platform, receiver] = await Promise.all([startTestPlatform({ clock }), startWebhookReceiver()]);
  const { merchant } = platform;
  const endpoint = expectStatus(
    await merchant.post('/v1/webhooks/endpoints', {
      url: receiver.url,
      format: 'raw',
      events: [
        'customer.created',
        'customer.updated',
        'customer.deleted',
        'customer.state_changed',
        'member.created',
        'member.deleted',
        'checkout.created',
        'checkout.updated',
        'order.created',
        'order.updated',
        'order.paid',
        'subscription.created',
        'subscription.updated',
        'subscription.active',
        'subscription.canceled',
        'subscription.revoked',
        'benefit_grant.created',
        'benefit_grant.revoked',
      ],
    }),
    201,
  );
  receiver.trust(endpoint.secret);
  const meter = expectStatus(
    await merchant.post('/v1/meters/', {
      name: 'calls',
      filter: { conjunction: 'and', clauses: [{ property: 'name', operator: 'eq', value: 'call' }] },
      aggregation: { func: 'count' },
    }),
    201,
  );
  const benefits = await Promise.all([
    makeBenefit(merchant),
    makeKeyBenefit(merchant),
    makeBenefit(merchant, {
      type: 'meter_credit',
      description: 'Included calls',
      properties: { meter_id: meter.id, units: 10, rollover: false },
    }),
  ]);
  product = await makeProduct(
    merchant,
    monthly,
    benefits.map(({ id }) => id),
  );
}, 120_000);
afterAll(async () => {
  await platform?.stop();
  await receiver?.stop();
});

/** Somebody who is known all over the platform, by words that are nobody else's. */
async function makePerson() {
  const { merchant } = platform;
  const mark = () => `q${word().slice(0, 14)}`;
  const secrets = {
    email: `${mark()}@example.com`,
    formerEmail: `${mark()}@example.com`,
    name: `${mark()} Ada`,
    formerName: `${mark()} Old`,
    billingName: `${mark()} Inc`,
    street: `${mark()} Street`,
    town: `${mark()}ville`,
    postalCode: mark().slice(0, 10),
  };
  const external_id = `external-${word()}`;
  const made = await makeCustomer(merchant, {
    external_id,
    email: secrets.formerEmail,
    name: secrets.formerName,
  });
  const customer_billing_address = {
    ...address,
    line1: secrets.street,
    line2: null,
    city: secrets.town,
    postal_code: secrets.postalCode,
  };
  const renamed = { email: secrets.email, name: secrets.name };
  expectStatus(await merchant.patch(`/v1/customers/${made.id}`, renamed), 200);
  const purchase = await buy(merchant, product, {
    customer_id: made.id,
    customer_email: undefined,
    customer_name: secrets.name,
    customer_billing_name: secrets.billingName,
    is_business_customer: true,
    customer_billing_address,
  });
  const grants = await grantsOf(merchant, made.id, 3);
  const session = await sessionOf(merchant, made.id);
  await eventually(async () =>
    expectStatus(
      await merchant.post('/v1/events/ingest', {
        events: [
          { name: 'call', external_customer_id: external_id },
          { name: 'call', customer_id: made.id },
        ],
      }),
      200,
    ),
  );
  return { ...purchase, external_id, secrets, grants, session };
}

const eventsOf = async (customerId: string) =>
  listAll(platform.merchant, `/v1/events/?customer_id=${customerId}`);

test('it answers 204 without a body, and the customer is gone', async () => {
  const { merchant } = platform;
  const { external_id, customer, session, secrets } = await makePerson();
  const portal = merchant.as(session);
  expectStatus(await portal.get('/v1/customer-portal/license-keys/'), 200);
  const answer = await merchant.delete(path(external_id));
  expect([answer.status, answer.body]).toEqual([204, undefined]);
  expectProblem(await merchant.get(path(external_id)), 404, 'ResourceNotFound');
  expectProblem(await merchant.get(`/v1/customers/${customer.id}`), 404, 'ResourceNotFound');
  expectProblem(await merchant.delete(path(external_id)), 404, 'ResourceNotFound');
  expect(await listAll(merchant, `/v1/customers/?email=${secrets.email}`)).toEqual([]);
  expect(await listAll(merchant, `/v1/members/?customer_id=${customer.id}`)).toEqual([]);
  await eventually(async () =>
    expect((await portal.get('/v1/customer-portal/license-keys/')).status).toBe(401),
  );
  const again = await makeCustomer(merchant, { external_id, email: secrets.email });
  expect(again.id).not.toBe(customer.id);
});

test('active subscriptions are canceled at once, and active benefits revoked', async () => {
  const { merchant } = platform;
  const { external_id, customer, subscription } = await makePerson();
  expect(subscription.status).toBe('active');
  expectStatus(await merchant.delete(path(external_id)), 204);
  const ended = expectStatus(await merchant.get(`/v1/subscriptions/${subscription.id}`), 200);
  expect(ended).toMatchObject({
    status: 'canceled',
    cancel_at_period_end: false,
    ended_at: ended.canceled_at,
    ends_at: ended.canceled_at,
  });
  await eventually(async () => {
    for (const grant of await grantsOf(merchant, customer.id, 3))
      expect(grant).toMatchObject({ is_granted: false, is_revoked: true, revoked_at: expect.any(String) });
  });
  const keys = (await listAll(merchant, '/v1/license-keys/')).filter(
    (key) => key.customer_id === customer.id,
  );
  expect(keys).toMatchObject([{ status: 'revoked' }]);
  await eventually(async () => {
    const [row] = await listAll(merchant, `/v1/customer-meters/?customer_id=${customer.id}`);
    expect(row.credited_units).toBe(0);
    const told = (await eventsOf(customer.id)).map(({ name }) => name);
    expect(told).toEqual(
      expect.arrayContaining([
        'customer.deleted',
        'subscription.canceled',
        'subscription.revoked',
        'benefit.revoked',
      ]),
    );
    const heard = receiver.received.filter(({ data }) => (data.customer_id ?? data.id) === customer.id);
    expect(heard.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'customer.deleted',
        'subscription.canceled',
        'subscription.revoked',
        'benefit_grant.revoked',
      ]),
    );
  });
});

test('without anonymize what was sold still names the person', async () => {
  const { merchant } = platform;
  for (const query of ['', '?anonymize=false']) {
    const { external_id, order, secrets } = await makePerson();
    expectStatus(await merchant.delete(path(external_id, query)), 204);
    expect(expectStatus(await merchant.get(`/v1/orders/${order.id}`), 200)).toMatchObject({
      billing_name: secrets.billingName,
      billing_address: { line1: secrets.street },
      customer: { email: secrets.email, deleted_at: expect.any(String), external_id: null },
    });
  }
});

test('with anonymize=true nothing in any database, no mail and no answer names the person', async () => {
  const { merchant } = platform;
  const { external_id, customer, order, secrets, subscription } = await makePerson();
  expectStatus(await merchant.delete(`/v1/subscriptions/${subscription.id}`), 200);
  await buy(merchant, product, { customer_id: customer.id, customer_email: undefined });
  const { email: customer_email, name: customer_name } = secrets;
  const book = await makeProduct(merchant);
  const abandoned = { products: [book.id], customer_email, customer_name };
  expectStatus(await merchant.post('/v1/checkouts/', abandoned), 201);
  const words = Object.values(secrets).map((secret) => secret.split(/[@ ]/)[0]!);
  expect(Object.keys(await tracesOf(words))).toEqual(
    expect.arrayContaining(['commerce', 'catalog', 'metering', 'notifications']),
  );
  await eventually(settled);
  expect(mailsNaming(words)).not.toEqual([]);
  expectStatus(await merchant.delete(path(external_id, '?anonymize=true')), 204);
  await eventually(settled);
  aheadMs += SWEEP_MS;
  await eventually(async () => expect(await tracesOf(words)).toEqual({}), SWEPT_WITHIN_MS);
  expect(mailsNaming(words)).toEqual([]);

  const answers = await Promise.all(
    [
      `/v1/orders/${order.id}`,
      `/v1/subscriptions/${subscription.id}`,
      `/v1/checkouts/?customer_id=${customer.id}`,
      `/v1/events/?customer_id=${customer.id}&limit=100`,
      `/v1/customer-meters/?customer_id=${customer.id}`,
      `/v1/benefit-grants/?customer_id=${customer.id}`,
      '/v1/license-keys/?limit=100',
      '/v1/webhooks/deliveries?limit=100',
    ].map(async (target) => expectStatus(await merchant.get(target), 200)),
  );
  for (const answer of answers)
    for (const secret of words) expect(JSON.stringify(answer)).not.toContain(secret);
  const [sold] = answers;
  expect(sold.customer).toMatchObject({
    email: expect.stringMatching(/^[0-9a-f]{64}@/),
    name: expect.stringMatching(/^[0-9a-f]{64}$/),
    billing_name: expect.stringMatching(/^[0-9a-f]{64}$/),
    billing_address: null,
    metadata: { __anonymized_at: expect.any(String), __external_id: external_id },
  });
  const events = await eventsOf(customer.id);
  expect(events.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'customer.created',
      'customer.updated',
      'customer.deleted',
      'call',
      'order.paid',
    ]),
  );
  for (const { id } of events) {
    const event = expectStatus(await merchant.get(`/v1/events/${id}`), 200);
    expect(event.customer.email).toBe(sold.customer.email);
  }
}, 150_000);

test('of another organization or of nobody is a 404, another anonymize a 422', async () => {
  const { merchant } = platform;
  await makeCustomer(merchant, { external_id: 'kept' });
  const stranger = merchant.as(await platform.strangerToken());
  expectProblem(await stranger.delete(path('kept')), 404, 'ResourceNotFound');
  expectProblem(await stranger.delete(path('kept', '?anonymize=true')), 404, 'ResourceNotFound');
  expectProblem(await merchant.delete(path('nobody')), 404, 'ResourceNotFound');
  expectInvalid(await merchant.delete(path('kept', '?anonymize=perhaps')), ['query', 'anonymize']);
  expectStatus(await merchant.get(path('kept')), 200);
});

test(
  'takes every merchant scheme with customers:write, and customers:read does not delete',
  () =>
    expectMerchantAccess(platform, { granting: ['customers:write'], success: 204 }, async (api) => {
      const external_id = word();
      await makeCustomer(platform.merchant, { external_id });
      return api.delete(path(external_id));
    }),
  60_000,
);

/** Files of mails that hold any of the words. */
const mailsNaming = (words: readonly string[]): string[] =>
  readdirSync(platform.mailFolder).filter((file) => {
    const mail = readFileSync(join(platform.mailFolder, file), 'utf8').replaceAll(/=\r?\n/g, '');
    return words.some((text) => mail.includes(text));
  });

/** Holds once no message is on its way, no webhook is due and no mail waits. */
async function settled(): Promise<void> {
  for (const [service, url] of Object.entries(platform.databaseUrls))
    await withDatabase(url, async (db) => {
      const waiting = await db.query('select count(*)::int as count from outbox');
      expect([service, 'outbox', waiting.rows[0].count]).toEqual([service, 'outbox', 0]);
      if (service !== 'notifications') return;
      for (const table of ['webhook_events', 'emails']) {
        const due = await db.query(`select count(*)::int as count from ${table} where due_at is not null`);
        expect([table, due.rows[0].count]).toEqual([table, 0]);
      }
    });
}

/** Where words are found: tables by service, of those that have any of the words in any row. */
async function tracesOf(words: readonly string[]): Promise<Record<string, string[]>> {
  const traces: Record<string, string[]> = {};
  for (const [service, url] of Object.entries(platform.databaseUrls))
    await withDatabase(url, async (db) => {
      const tables = await db.query(
        "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
      );
      for (const { table_name } of tables.rows) {
        const found = await db.query(
          `select 1 from ${db.escapeIdentifier(table_name)} as line where line::text ilike any($1) limit 1`,
          [words.map((text) => `%${text}%`)],
        );
        if (found.rowCount) traces[service] = [...(traces[service] ?? []), table_name];
      }
    });
  return traces;
}

async function withDatabase(connectionString: string, work: (db: pg.Client) => Promise<void>): Promise<void> {
  const db = new pg.Client({ connectionString });
  await db.connect();
  try {
    await work(db);
  } finally {
    await db.end();
  }
}

import {
  type SystemEventName,
  systemEventMetadata,
  systemEventNames,
} from '@tributary/proto/events/system-events.ts';
import type { Clock } from '@tributary/runtime/clock.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import pg from 'pg';
import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import { expectFields, listAll } from './expectations.ts';
import { eventFields } from './fields.ts';
import {
  buy,
  fixed,
  grantsOf,
  makeBenefit,
  makeCustomer,
  makeKeyBenefit,
  makeProduct,
  monthly,
  type Purchase,
  sessionOf,
} from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

/** Everything that happens by a clock's hand is seen within this time. */
const SOON_MS = 60_000;
const TIMEOUT_MS = 180_000;

/** Runs as the machine's clock does, as far ahead of it as it was told. */
let aheadMs = 0;
const clock: Clock = { now: () => new Date(Date.now() + aheadMs) };

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ clock });
}, 120_000);
afterAll(() => platform?.stop());

const allOf = (name: SystemEventName, customerId: string): Promise<Json[]> =>
  listAll(platform.merchant, `/v1/events/?name=${name}&source=system&customer_id=${customerId}`);

/**
 * Reads the newest event of a name about a customer by its id, once there are as many as expected: it must have every
 * field of an event and exactly these keys of metadata.
 */
async function expectEvent(
  name: SystemEventName,
  customerId: string,
  metadata: object,
  count = 1,
): Promise<Json> {
  const [{ id }] = await eventually(async () => {
    const items = await allOf(name, customerId);
    expect([name, items.length]).toEqual([name, count]);
    return items;
  }, SOON_MS);
  const event = expectStatus(await platform.merchant.get(`/v1/events/${id}`), 200);
  expectFields(event, eventFields);
  expect(event).toMatchObject({ name, source: 'system', customer_id: customerId });
  expect([name, event.metadata]).toEqual([name, metadata]);
  seen.add(name);
  return event;
}

const seen = new Set<SystemEventName>();

const day = 86_400_000;
const patch = async (path: string, body: object) =>
  expectStatus(await platform.merchant.patch(path, body), 200);
const text = expect.any(String);

const factsOf = (customer: Json) => ({
  customer_id: customer.id,
  customer_email: customer.email,
  customer_name: customer.name,
  customer_external_id: customer.external_id,
});
const termsOf = ({ subscription }: Purchase) => ({
  subscription_id: subscription.id,
  product_id: subscription.product_id,
  amount: subscription.amount,
  currency: 'usd',
  recurring_interval: 'month',
  recurring_interval_count: 1,
});

test('a customer’s life is told', async () => {
  const customer = await makeCustomer(platform.merchant, { name: 'Ada', external_id: 'ada' });
  await expectEvent('customer.created', customer.id, factsOf(customer));
  const changed = await patch(`/v1/customers/${customer.id}`, {
    name: 'Ada King',
    email: 'king@example.com',
    billing_address: {
      country: 'US',
      state: 'NY',
      line1: '1 Main St',
      city: 'New York',
      postal_code: '10001',
    },
    metadata: { plan: 'gold' },
  });
  await expectEvent('customer.updated', customer.id, {
    ...factsOf(changed),
    updated_fields: {
      name: 'Ada King',
      email: 'king@example.com',
      billing_address: {
        country: 'US',
        state: 'US-NY',
        line1: '1 Main St',
        city: 'New York',
        postal_code: '10001',
      },
      metadata: { plan: 'gold' },
    },
  });
  expectStatus(await platform.merchant.delete('/v1/customers/external/ada'), 204);
  await expectEvent('customer.deleted', customer.id, factsOf(changed));
});

test('a purchase once is told', async () => {
  const product = await makeProduct(platform.merchant);
  const { checkout, order, customer } = await buy(platform.merchant, product);
  const [created] = await eventually(async () => {
    const items = (await listAll(platform.merchant, '/v1/events/?name=checkout.created')).filter(
      ({ metadata }) => metadata.checkout_id === checkout.id,
    );
    expect(items).toHaveLength(1);
    return items;
  });
  expect(expectStatus(await platform.merchant.get(`/v1/events/${created.id}`), 200).metadata).toEqual({
    checkout_id: checkout.id,
    checkout_status: 'open',
    product_id: product.id,
  });
  seen.add('checkout.created');
  const sums = { net_amount: 1_000, tax_amount: order.tax_amount };
  await expectEvent('order.paid', customer.id, {
    order_id: order.id,
    product_id: product.id,
    billing_type: 'one_time',
    amount: order.total_amount,
    currency: 'usd',
    ...sums,
    applied_balance_amount: 0,
    discount_amount: 0,
    platform_fee: order.platform_fee_amount,
  });
  const { metadata } = await expectEvent('balance.order', customer.id, expect.any(Object));
  expect(metadata).toMatchObject({
    transaction_id: text,
    order_id: order.id,
    product_id: product.id,
    amount: order.total_amount,
    currency: 'usd',
    presentment_amount: order.total_amount,
    presentment_currency: 'usd',
    fee: order.platform_fee_amount,
    ...sums,
  });
});

test(
  'a subscription with benefits is told from purchase to renewal to its end',
  async () => {
    const { merchant } = platform;
    const meter = expectStatus(
      await merchant.post('/v1/meters/', {
        name: 'calls',
        filter: { conjunction: 'and', clauses: [{ property: 'name', operator: 'eq', value: 'call' }] },
        aggregation: { func: 'count' },
      }),
      201,
    );
    const keys = await makeKeyBenefit(merchant);
    const credit = await makeBenefit(merchant, {
      type: 'meter_credit',
      description: 'Included calls',
      properties: { meter_id: meter.id, units: 10, rollover: false },
    });
    const product = await makeProduct(merchant, monthly, [keys.id, credit.id]);
    const bought = await buy(merchant, product);
    const failing = await Promise.all(
      [1, 2].map(() => buy(merchant, product, { confirmation_token_id: 'tok_fails_later' })),
    );
    const { id } = bought.customer;
    const terms = termsOf(bought);
    const path = `/v1/subscriptions/${terms.subscription_id}`;
    const grants = await grantsOf(merchant, id, 2);
    const keyGrant = grants.find((grant) => grant.benefit_id === keys.id)!;
    const factsOfGrant = {
      benefit_id: keys.id,
      benefit_grant_id: keyGrant.id,
      benefit_type: 'license_keys',
      ...(keyGrant.member_id ? { member_id: keyGrant.member_id } : {}),
    };
    const ofKeys = async (name: SystemEventName, count: number) => {
      const found = await eventually(async () => {
        const items = (await allOf(name, id)).filter(({ metadata }) => metadata.benefit_id === keys.id);
        expect([name, items.length]).toEqual([name, count]);
        return items;
      }, SOON_MS);
      const event = expectStatus(await merchant.get(`/v1/events/${found[0].id}`), 200);
      expect([name, event.metadata]).toEqual([name, factsOfGrant]);
      seen.add(name);
    };

    await expectEvent('subscription.created', id, { ...terms, started_at: text });
    await expectEvent('order.paid', id, {
      order_id: bought.order.id,
      product_id: product.id,
      billing_type: 'recurring',
      amount: bought.order.total_amount,
      currency: 'usd',
      net_amount: 1_000,
      tax_amount: bought.order.tax_amount,
      applied_balance_amount: 0,
      discount_amount: 0,
      platform_fee: bought.order.platform_fee_amount,
      subscription_id: terms.subscription_id,
      recurring_interval: 'month',
      recurring_interval_count: 1,
    });
    await ofKeys('benefit.granted', 1);
    await expectEvent('meter.credited', id, { meter_id: meter.id, units: 10, rollover: false });
    await patch(`/v1/benefits/${keys.id}`, {
      type: 'license_keys',
      properties: { prefix: 'NEW', limit_usage: 5 },
    });
    await ofKeys('benefit.updated', 1);

    await patch(path, {
      cancel_at_period_end: true,
      customer_cancellation_reason: 'too_complex',
      customer_cancellation_comment: 'Later',
    });
    await expectEvent('subscription.canceled', id, {
      ...terms,
      customer_cancellation_reason: 'too_complex',
      customer_cancellation_comment: 'Later',
      canceled_at: text,
      ends_at: bought.subscription.current_period_end,
      cancel_at_period_end: true,
    });
    await patch(path, { cancel_at_period_end: false });
    await expectEvent('subscription.uncanceled', id, terms);

    aheadMs += 32 * day;
    await expectEvent('subscription.cycled', id, terms);
    await ofKeys('benefit.cycled', 1);
    await expectEvent('meter.reset', id, { meter_id: meter.id });
    await expectEvent('meter.credited', id, { meter_id: meter.id, units: 10, rollover: false }, 2);

    const [recovering, lost] = failing as [Purchase, Purchase];
    for (const { customer, ...purchase } of [recovering, lost])
      await expectEvent('subscription.past_due', customer.id, {
        ...termsOf({ customer, ...purchase }),
        past_due_at: text,
      });
    const portal = merchant.as(await sessionOf(merchant, recovering.customer.id));
    expectStatus(
      await portal.post('/v1/customer-portal/customers/me/payment-methods', {
        confirmation_token_id: 'tok_visa',
        set_default: true,
        return_url: 'https://merchant.test/back',
      }),
      201,
    );
    await expectEvent('subscription.reactivated', recovering.customer.id, termsOf(recovering));
    const [pending] = await listAll(merchant, `/v1/orders/?status=pending&customer_id=${lost.customer.id}`);
    expectStatus(await merchant.delete(`/v1/subscriptions/${lost.subscription.id}`), 200);
    await expectEvent('order.voided', lost.customer.id, {
      order_id: pending.id,
      amount: pending.total_amount,
      currency: 'usd',
    });

    expectStatus(await merchant.delete(path), 200);
    const { metadata } = await expectEvent('subscription.canceled', id, expect.any(Object), 2);
    expect(metadata).toMatchObject({ ...terms, canceled_at: text, ends_at: text });
    await expectEvent('subscription.revoked', id, terms);
    await ofKeys('benefit.revoked', 1);
    await expectEvent('meter.credited', id, { meter_id: meter.id, units: -10, rollover: false }, 3);
  },
  TIMEOUT_MS,
);

test('the upgrade of a free subscription is told', async () => {
  const { merchant } = platform;
  const free = await makeProduct(merchant, { ...monthly, prices: [{ amount_type: 'free' }] });
  const paid = await makeProduct(merchant, { ...monthly, prices: [fixed(2_000)] });
  const { subscription, customer } = await buy(merchant, free);
  await buy(merchant, paid, { subscription_id: subscription.id, customer_email: undefined });
  const subscription_id = subscription.id;
  await expectEvent('subscription.product_updated', customer.id, {
    subscription_id,
    old_product_id: free.id,
    new_product_id: paid.id,
  });
  await expectEvent('subscription.updated', customer.id, { subscription_id, product_id: paid.id });
});

test(
  'an order that credit pays, and one that is paid after it was given up, are told',
  async () => {
    const { merchant } = platform;
    const product = await makeProduct(merchant, monthly);
    const [rich, late] = (await Promise.all([
      buy(merchant, product),
      buy(merchant, product, { confirmation_token_id: 'tok_fails_later' }),
    ])) as [Purchase, Purchase];
    // No operation gives credit yet.
    await inCommerce(
      'insert into customer_balances (customer_id, currency, organization_id, amount) values ($1, $2, $3, $4)',
      [rich.customer.id, 'usd', platform.organizationId, 5_000],
    );
    aheadMs += 32 * day;
    await expectEvent('subscription.cycled', rich.customer.id, termsOf(rich));
    const { metadata } = await expectEvent('balance.credit_order', rich.customer.id, expect.any(Object));
    const paths = [rich, late].map(({ subscription }) => `/v1/orders/?subscription_id=${subscription.id}`);
    const [renewal] = await listAll(merchant, paths[0]!);
    expect(renewal).toMatchObject({ status: 'paid', due_amount: 0, applied_balance_amount: -1_000 });
    expect(metadata).toEqual({
      order_id: renewal.id,
      product_id: product.id,
      subscription_id: rich.subscription.id,
      amount: 1_000,
      currency: 'usd',
      tax_amount: renewal.tax_amount,
      tax_state: 'US-NY',
      tax_country: 'US',
      fee: renewal.platform_fee_amount,
    });

    await expectEvent('subscription.past_due', late.customer.id, {
      ...termsOf(late),
      past_due_at: text,
    });
    const [pending] = await listAll(merchant, `${paths[1]}&status=pending`);
    // The processor takes the money of the second attempt, and whoever asked for it dies before it is booked.
    await inCommerce(
      `insert into sandbox_intents (key, id, client_secret, token, method_id, amount, currency, status)
       select $2, id || '2', client_secret || '2', token, method_id, amount, currency, 'succeeded'
       from sandbox_intents where key = $1`,
      [`order:${pending.id}:0`, `order:${pending.id}:1`],
    );
    expectStatus(await merchant.delete(`/v1/subscriptions/${late.subscription.id}`), 200);
    const given = { order_id: pending.id, amount: pending.total_amount, currency: 'usd' };
    await expectEvent('order.voided', late.customer.id, given);
    aheadMs += 3 * day;
    await expectEvent('order.unvoided', late.customer.id, given);
    await expectEvent('order.paid', late.customer.id, expect.any(Object), 2);
    expect(expectStatus(await merchant.get(`/v1/orders/${pending.id}`), 200).status).toBe('paid');
  },
  TIMEOUT_MS,
);

async function inCommerce(sql: string, values: unknown[]): Promise<void> {
  const db = new pg.Client({ connectionString: platform.databaseUrls.commerce });
  await db.connect();
  await db.query(sql, values).finally(() => db.end());
}

/** Names whose trigger needs an operation that does not exist yet. */
const untold: readonly SystemEventName[] = [
  'subscription.reinstated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.seats_updated',
  'subscription.billing_period_updated',
  'subscription.update_cleared',
  'order.refunded',
  'balance.refund',
  'balance.refund_reversal',
  'balance.dispute',
  'balance.dispute_reversal',
];

test('each of the names was read above or is known to have no trigger here', () => {
  expect([...seen, ...untold].toSorted()).toEqual(systemEventNames.toSorted());
});

test('what was read has no key that its name does not have', async () => {
  const items = await listAll(platform.merchant, '/v1/events/?source=system');
  expect(items.length).toBeGreaterThan(20);
  for (const { name, metadata } of items) {
    const known = Object.keys(systemEventMetadata[name as SystemEventName].shape);
    expect([name, Object.keys(metadata).filter((key) => !known.includes(key))]).toEqual([name, []]);
  }
});

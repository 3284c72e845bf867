import { newId } from '@tributary/proto/id.ts';
import { Problem, ServiceUnavailable } from '@tributary/runtime/http/problem.ts';
import { customerSession } from '@tributary/runtime/testing/principals.ts';
import { collectionJob } from '../collections/jobs.ts';
import type { Outcome } from '../payments/processor.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { custom, fixed, meterCopy, metered, seatBased } from '../testing/copies.ts';
import { cycleJob } from './jobs.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Any = any;

let shop: CommerceUnderTest;
let given: Pick<CommerceUnderTest['app'], 'processor' | 'metering'>;
beforeAll(async () => {
  shop = await commerceUnderTest();
  given = { processor: shop.app.processor, metering: shop.app.metering };
});
/** The schedulers see every subscription there is, so those of former tests are out of their way. */
beforeEach(async () => {
  Object.assign(shop.app, given);
  shop.clock.set(START);
  await shop.publish('organizations', shop.organization);
  await shop.app.db.query(`update subscriptions set status = 'canceled'`);
  await shop.app.db.query('delete from collections');
  await shop.app.db.query('delete from sandbox_intents');
  await shop.emptyOutbox();
});
afterAll(() => shop.stop());

const START = '2026-01-15T12:00:00.000Z';
const monthly = (given: object = {}) => shop.product({ recurring_interval: 'month', ...given });

async function subscribe(product: { id: string }, token = 'tok_visa', body: object = {}): Promise<Any> {
  const opened = await shop.checkout(product.id, body);
  const answer = await shop.confirm(opened.client_secret, { confirmation_token_id: token });
  expect(answer.status).toBe(200);
  const { customer_id } = await shop.ok('GET', `/v1/checkouts/${opened.id}`);
  const { items } = await shop.ok('GET', `/v1/subscriptions/?customer_id=${customer_id}`);
  return items[0];
}

const read = (id: string) => shop.ok('GET', `/v1/subscriptions/${id}`);
/** A subscription's orders, the oldest first, without the one it was bought with. */
async function renewals(id: string): Promise<Any[]> {
  const { items } = await shop.ok('GET', `/v1/orders/?subscription_id=${id}&limit=100`);
  return items.filter((order: Any) => order.billing_reason === 'subscription_cycle').reverse();
}

async function cycleUntilDone() {
  while (await cycleJob.run(shop.app, shop.clock.now()));
}
async function collectUntilDone() {
  while (await collectionJob.run(shop.app, shop.clock.now()));
}
/** The schedulers wake up at an instant and work until nothing is due. */
async function at(instant: string) {
  shop.clock.set(instant);
  await cycleUntilDone();
  await collectUntilDone();
}

/** System events of a name, in order. */
const events = async (name: string): Promise<Any[]> =>
  (await shop.outbox())
    .filter((row) => row.type === name && row.topic.startsWith('tributary.events.'))
    .map(({ value }: Any) => ({ timestamp: value.timestamp, metadata: value.metadata }));
const mails = async () => (await shop.told('email.send')).map(({ template }) => template);
const payments = (orderId: string): Promise<Any[]> =>
  shop.app.db.query('select * from payments where order_id = $1 order by created_at, id', [orderId]);

/** Usage as metering would sum it: what lies in the period asked for. */
function meterUsage(entries: { at: string; units: number }[]) {
  const asked: { start: string; end: string }[] = [];
  shop.app.metering = {
    ...shop.app.metering,
    getUsage: async ({ periods }) => ({
      usages: periods.map(({ meter_id, start, end }) => {
        asked.push({ start: start!.toISOString(), end: end!.toISOString() });
        const inside = entries.filter((one) => new Date(one.at) >= start! && new Date(one.at) < end!);
        const consumed = inside.reduce((sum, { units }) => sum + units, 0);
        return { meter_id, consumed_units: String(consumed), credited_units: 0 };
      }),
    }),
  };
  return asked;
}
function knownMeter() {
  const meter = meterCopy({ organization_id: shop.organization.id });
  shop.put('meters', meter);
  return meter;
}

describe('at the end of a period', () => {
  test('a subscription renews: ordered, paid and told', async () => {
    const { id, customer_id } = await subscribe(monthly(), 'tok_visa', { metadata: { tier: 'gold' } });
    await at('2026-02-15T11:59:59Z');
    expect(await renewals(id)).toEqual([]);
    await shop.emptyOutbox();
    await at('2026-02-15T12:00:07Z');
    expect(await read(id)).toMatchObject({
      status: 'active',
      current_period_start: '2026-02-15T12:00:00.000Z',
      current_period_end: '2026-03-15T12:00:00.000Z',
    });
    const [order, ...more] = await renewals(id);
    expect(more).toEqual([]);
    expect(order).toMatchObject({
      status: 'paid',
      total_amount: 1_000,
      due_amount: 1_000,
      billing_reason: 'subscription_cycle',
      customer_id,
      checkout_id: null,
      metadata: { tier: 'gold' },
      description: 'Pro (2026-02-15 to 2026-03-15)',
      items: [{ label: 'Pro (2026-02-15 to 2026-03-15)', amount: 1_000, proration: false }],
    });
    expect(await payments(order.id)).toMatchObject([
      { status: 'succeeded', amount: 1_000, trigger: 'subscription_cycle', checkout_id: null },
    ]);
    expect(await shop.webhooks()).toEqual([
      'subscription.updated',
      'subscription.cycled',
      'order.created',
      'order.updated',
      'order.paid',
    ]);
    expect(await events('subscription.cycled')).toEqual([
      {
        timestamp: '2026-02-15T12:00:00.000Z',
        metadata: {
          subscription_id: id,
          product_id: order.product_id,
          amount: 1_000,
          currency: 'usd',
          recurring_interval: 'month',
          recurring_interval_count: 1,
        },
      },
    ]);
    expect(await events('order.paid')).toMatchObject([
      { metadata: { order_id: order.id, subscription_id: id, amount: 1_000 } },
    ]);
    expect(await shop.told('subscriptions.changed')).toMatchObject([{ id, status: 'active' }]);
    expect(await mails()).toEqual(['subscription_cycled']);
  });

  test('a scheduler that was away catches up, one order for each period', async () => {
    const { id } = await subscribe(monthly());
    await at('2026-05-20T00:00:00Z');
    const orders = await renewals(id);
    expect(orders.map(({ description, status }) => [description, status])).toEqual([
      ['Pro (2026-02-15 to 2026-03-15)', 'paid'],
      ['Pro (2026-03-15 to 2026-04-15)', 'paid'],
      ['Pro (2026-04-15 to 2026-05-15)', 'paid'],
      ['Pro (2026-05-15 to 2026-06-15)', 'paid'],
    ]);
    expect((await events('subscription.cycled')).map(({ timestamp }) => timestamp)).toEqual([
      '2026-02-15T12:00:00.000Z',
      '2026-03-15T12:00:00.000Z',
      '2026-04-15T12:00:00.000Z',
      '2026-05-15T12:00:00.000Z',
    ]);
  });

  test('moves one period in a run', async () => {
    const { id } = await subscribe(monthly());
    shop.clock.set('2026-05-20T00:00:00Z');
    expect(await cycleJob.run(shop.app, shop.clock.now())).toBe(true);
    expect(await renewals(id)).toHaveLength(1);
  });

  test('several schedulers at once bill and charge each period once', async () => {
    const subscriptions = await Promise.all(Array.from({ length: 6 }, () => subscribe(monthly())));
    shop.clock.set('2026-04-20T00:00:00Z');
    await Promise.all(Array.from({ length: 5 }, cycleUntilDone));
    await cycleUntilDone();
    await Promise.all(Array.from({ length: 5 }, collectUntilDone));
    for (const { id } of subscriptions) {
      const orders = await renewals(id);
      expect(orders.map(({ description, status }) => `${description} ${status}`)).toEqual([
        'Pro (2026-02-15 to 2026-03-15) paid',
        'Pro (2026-03-15 to 2026-04-15) paid',
        'Pro (2026-04-15 to 2026-05-15) paid',
      ]);
      for (const order of orders) expect(await payments(order.id)).toHaveLength(1);
    }
    const charges = await shop.app.db.query(`select count(*) from sandbox_intents where key like 'order:%'`);
    expect(charges).toEqual([{ count: 18 }]);
  });

  test('seats are billed at their price', async () => {
    const product = monthly({ prices: [seatBased(700)] });
    const { id } = await subscribe(product, 'tok_visa', { seats: 5 });
    await at('2026-02-15T12:00:00Z');
    expect(await renewals(id)).toMatchObject([
      {
        total_amount: 3_500,
        seats: 5,
        items: [{ label: 'Pro (5 seats, 2026-02-15 to 2026-03-15)', amount: 3_500 }],
      },
    ]);
  });

  test('an amount that the buyer chose stays', async () => {
    const product = monthly({ prices: [custom(100)] });
    const { id } = await subscribe(product, 'tok_visa', { amount: 1_234 });
    await at('2026-02-15T12:00:00Z');
    expect(await renewals(id)).toMatchObject([{ total_amount: 1_234 }]);
  });

  test('a free subscription renews without a payment', async () => {
    const { id } = await subscribe(monthly({ prices: [fixed(0)] }));
    await at('2026-02-15T12:00:00Z');
    const [order] = await renewals(id);
    expect(order).toMatchObject({ status: 'paid', total_amount: 0, due_amount: 0 });
    expect(await payments(order.id)).toEqual([]);
  });

  test('what the customer has to their credit pays first', async () => {
    const { id, customer_id } = await subscribe(monthly());
    await shop.app.db.query('insert into customer_balances values ($1, $2, $3, 300)', [
      customer_id,
      'usd',
      shop.organization.id,
    ]);
    await at('2026-02-15T12:00:00Z');
    const [order] = await renewals(id);
    expect(order).toMatchObject({
      status: 'paid',
      total_amount: 1_000,
      applied_balance_amount: -300,
      due_amount: 700,
    });
    expect(await payments(order.id)).toMatchObject([{ amount: 700 }]);
    const balance = await shop.app.db.query('select amount from customer_balances where customer_id = $1', [
      customer_id,
    ]);
    expect(balance).toEqual([{ amount: 0 }]);
  });

  test.each([
    ['credit', 300, [-300, 0], [700, 1_000]],
    ['debt', -40, [40, 0], [1_040, 1_000]],
  ])(
    '%s that an unpaid renewal counts on is not counted on by the next one',
    async (_what, amount, applied, due) => {
      const weekly = shop.product({ recurring_interval: 'week' });
      const { id, customer_id } = await subscribe(weekly, 'tok_fails_later');
      await shop.app.db.query('insert into customer_balances values ($1, $2, $3, $4)', [
        customer_id,
        'usd',
        shop.organization.id,
        amount,
      ]);
      await at('2026-01-22T12:00:00Z');
      await at('2026-01-29T12:00:00Z');
      const orders = await renewals(id);
      expect(orders.map((order) => order.status)).toEqual(['pending', 'pending']);
      expect(orders.map((order) => order.applied_balance_amount)).toEqual(applied);
      expect(orders.map((order) => order.due_amount)).toEqual(due);
    },
  );

  test('an organization that may not renew waits until it may', async () => {
    const { id } = await subscribe(monthly());
    const { organization } = shop;
    await shop.publish('organizations', {
      ...organization,
      capabilities: { subscription_renewals: false },
    } as Any);
    await at('2026-02-15T12:00:00Z');
    expect(await read(id)).toMatchObject({ current_period_end: '2026-02-15T12:00:00.000Z' });
    await shop.publish('organizations', {
      ...organization,
      capabilities: { subscription_renewals: true },
    } as Any);
    await at('2026-02-15T12:30:00Z');
    expect(await renewals(id)).toEqual([]);
    await at('2026-02-15T13:00:00Z');
    expect(await renewals(id)).toMatchObject([
      { status: 'paid', description: 'Pro (2026-02-15 to 2026-03-15)' },
    ]);
  });
});

describe('usage', () => {
  test('of the period that ended is billed with the one that begins', async () => {
    const { id } = await subscribe(monthly({ prices: [fixed(1_000), metered(knownMeter(), '0.5')] }));
    const asked = meterUsage([
      { at: START, units: 100 },
      { at: '2026-02-15T11:59:59.999Z', units: 20 },
      { at: '2026-02-15T12:00:00Z', units: 7 },
    ]);
    await at('2026-02-15T12:05:00Z');
    expect(asked).toEqual([{ start: START, end: '2026-02-15T12:00:00.000Z' }]);
    expect(await renewals(id)).toMatchObject([
      {
        status: 'paid',
        total_amount: 1_060,
        items: [{ amount: 1_000 }, { label: 'API calls (120 × 0.005 USD)', amount: 60 }],
      },
    ]);
    await at('2026-03-15T12:00:00Z');
    expect((await renewals(id))[1]).toMatchObject({
      total_amount: 1_004,
      items: [{ amount: 1_000 }, { label: 'API calls (7 × 0.005 USD)', amount: 4 }],
    });
  });

  test('that cannot be read keeps the subscription where it is', async () => {
    const { id } = await subscribe(monthly({ prices: [fixed(1_000), metered(knownMeter(), '0.5')] }));
    const metering = shop.app.metering;
    shop.app.metering = {
      ...metering,
      getUsage: () => Promise.reject(new Problem(ServiceUnavailable, 'metering is away')),
    };
    await at('2026-02-15T12:00:00Z');
    expect(await renewals(id)).toEqual([]);
    shop.app.metering = metering;
    await at('2026-02-15T12:05:00Z');
    expect(await renewals(id)).toMatchObject([{ status: 'paid', total_amount: 1_000 }]);
  });

  test('of a trial is free', async () => {
    const product = monthly({
      trial_interval: 'day',
      trial_interval_count: 10,
      prices: [fixed(1_000), metered(knownMeter(), '0.5')],
    });
    const { id, status, trial_end } = await subscribe(product);
    expect({ status, trial_end }).toEqual({ status: 'trialing', trial_end: '2026-01-25T12:00:00.000Z' });
    const asked = meterUsage([{ at: '2026-01-20T00:00:00Z', units: 1_000 }]);
    await shop.emptyOutbox();
    await at('2026-01-25T12:00:00Z');
    expect(asked).toEqual([]);
    expect(await read(id)).toMatchObject({
      status: 'active',
      trial_end: '2026-01-25T12:00:00.000Z',
      current_period_end: '2026-02-25T12:00:00.000Z',
    });
    expect(await renewals(id)).toMatchObject([{ status: 'paid', total_amount: 1_000 }]);
    expect((await shop.webhooks()).filter((type) => type.startsWith('subscription'))).toEqual([
      'subscription.updated',
      'subscription.cycled',
    ]);
    expect(await mails()).toEqual(['subscription_cycled_after_trial']);
  });
});

describe('a subscription that was canceled', () => {
  const cancel = (id: string) => shop.ok('PATCH', `/v1/subscriptions/${id}`, { cancel_at_period_end: true });

  test('ends with its period and bills what was still used', async () => {
    const { id } = await subscribe(monthly({ prices: [fixed(1_000), metered(knownMeter(), '2')] }));
    await cancel(id);
    meterUsage([{ at: '2026-02-01T00:00:00Z', units: 150 }]);
    await shop.emptyOutbox();
    await at('2026-02-16T00:00:00Z');
    expect(await read(id)).toMatchObject({
      status: 'canceled',
      cancel_at_period_end: true,
      ended_at: '2026-02-15T12:00:00.000Z',
      current_period_end: '2026-02-15T12:00:00.000Z',
    });
    expect(await renewals(id)).toMatchObject([
      { status: 'paid', total_amount: 300, description: 'Pro (usage, 2026-01-15 to 2026-02-15)' },
    ]);
    expect(await events('subscription.canceled')).toMatchObject([
      { metadata: { cancel_at_period_end: true } },
    ]);
    expect(await events('subscription.revoked')).toHaveLength(1);
    expect(await events('subscription.cycled')).toEqual([]);
    expect((await shop.webhooks()).slice(0, 3)).toEqual([
      'subscription.updated',
      'subscription.canceled',
      'subscription.revoked',
    ]);
    await at('2026-04-01T00:00:00Z');
    expect(await renewals(id)).toHaveLength(1);
  });

  test('orders nothing when nothing was used', async () => {
    const { id } = await subscribe(monthly({ prices: [fixed(1_000), metered(knownMeter(), '2')] }));
    await cancel(id);
    await at('2026-02-15T12:00:00Z');
    expect(await read(id)).toMatchObject({ status: 'canceled' });
    expect(await renewals(id)).toEqual([]);
  });

  test('in its trial ends without a bill', async () => {
    const meter = knownMeter();
    const prices = [fixed(1_000), metered(meter, '2')];
    const { id } = await subscribe(monthly({ trial_interval: 'week', trial_interval_count: 1, prices }));
    await cancel(id);
    meterUsage([{ at: '2026-01-20T00:00:00Z', units: 150 }]);
    await at('2026-01-22T12:00:00Z');
    expect(await read(id)).toMatchObject({ status: 'canceled', ended_at: '2026-01-22T12:00:00.000Z' });
    expect(await renewals(id)).toEqual([]);
  });

  test('takes its seats with it', async () => {
    const { id } = await subscribe(monthly({ prices: [seatBased(500)] }), 'tok_visa', { seats: 3 });
    const seat = (name: string) =>
      shop.ok('POST', '/v1/customer-seats', { subscription_id: id, email: `${name}@example.com` });
    await seat('grace');
    await seat('alan');
    await shop.emptyOutbox();
    await shop.ok('DELETE', `/v1/subscriptions/${id}`);
    const { seats, available_seats } = await shop.ok('GET', `/v1/customer-seats?subscription_id=${id}`);
    expect(available_seats).toBe(0);
    expect(seats.every((one: Any) => one.status === 'revoked')).toBe(true);
    expect((await shop.webhooks()).filter((type) => type === 'customer_seat.revoked')).toHaveLength(
      seats.length,
    );
    expect(await shop.told('customer_seats.changed')).toHaveLength(seats.length);
  });
});

describe('a renewal that is not paid', () => {
  const failing = () => subscribe(monthly(), 'tok_fails_later');

  test('makes the subscription past due and is tried again', async () => {
    const { id } = await failing();
    await shop.emptyOutbox();
    await at('2026-02-15T12:00:00Z');
    expect(await read(id)).toMatchObject({
      status: 'past_due',
      past_due_at: '2026-02-15T12:00:00.000Z',
      current_period_end: '2026-03-15T12:00:00.000Z',
    });
    const [order] = await renewals(id);
    expect(order).toMatchObject({ status: 'pending', next_payment_attempt_at: '2026-02-17T12:00:00.000Z' });
    expect(await payments(order.id)).toMatchObject([{ status: 'failed', decline_reason: 'card_declined' }]);
    expect(await events('subscription.past_due')).toMatchObject([
      { metadata: { subscription_id: id, past_due_at: '2026-02-15T12:00:00.000Z' } },
    ]);
    expect(await shop.webhooks()).toEqual([
      'subscription.updated',
      'subscription.cycled',
      'order.created',
      'order.updated',
      'subscription.updated',
      'subscription.past_due',
    ]);
    expect((await shop.told('email.send')).map(({ template }) => template)).toContain(
      'subscription_past_due',
    );
  });

  test('is tried on days 0, 2, 7, 14 and 21, then the subscription ends', async () => {
    const { id } = await failing();
    const plan: [string, string | null][] = [
      ['2026-02-15T12:00:00Z', '2026-02-17T12:00:00.000Z'],
      ['2026-02-17T11:59:00Z', '2026-02-17T12:00:00.000Z'],
      ['2026-02-17T12:00:00Z', '2026-02-22T12:00:00.000Z'],
      ['2026-02-22T12:00:00Z', '2026-03-01T12:00:00.000Z'],
      ['2026-03-01T12:00:00Z', '2026-03-08T12:00:00.000Z'],
    ];
    for (const [instant, next] of plan) {
      await at(instant);
      expect((await renewals(id))[0]).toMatchObject({ status: 'pending', next_payment_attempt_at: next });
    }
    await shop.emptyOutbox();
    await at('2026-03-08T12:00:00Z');
    expect(await read(id)).toMatchObject({ status: 'canceled', ended_at: '2026-03-08T12:00:00.000Z' });
    const [order] = await renewals(id);
    expect(order).toMatchObject({ status: 'void', next_payment_attempt_at: null });
    expect((await payments(order.id)).map(({ trigger }) => trigger)).toEqual([
      'subscription_cycle',
      'retry_dunning',
      'retry_dunning',
      'retry_dunning',
      'retry_dunning',
    ]);
    expect(await events('order.voided')).toMatchObject([{ metadata: { order_id: order.id, amount: 1_000 } }]);
    expect(await events('subscription.revoked')).toHaveLength(1);
    expect(await shop.app.db.query('select * from collections')).toEqual([]);
  });

  test('waits for the end of the window after a hard decline', async () => {
    const { id } = await failing();
    const { processor } = shop.app;
    shop.app.processor = {
      ...processor,
      async charge(key, method, sum) {
        const outcome = await processor.charge(key, method, sum);
        if (outcome.status !== 'failed') return outcome;
        return { ...outcome, decline: { reason: 'stolen_card', message: 'Stolen.', isHard: true } };
      },
    };
    await at('2026-02-15T12:00:00Z');
    expect((await renewals(id))[0]).toMatchObject({ next_payment_attempt_at: '2026-03-08T12:01:00.000Z' });
    await at('2026-03-08T12:01:00Z');
    expect(await read(id)).toMatchObject({ status: 'canceled' });
    expect(await payments((await renewals(id))[0].id)).toHaveLength(2);
  });

  test('that is paid after all brings the subscription back', async () => {
    const { id, customer_id } = await failing();
    await at('2026-02-15T12:00:00Z');
    await shop.app.db.query(
      `update sandbox_methods set token = 'tok_visa'
       where id in (select processor_id from payment_methods where customer_id = $1)`,
      [customer_id],
    );
    await shop.emptyOutbox();
    await at('2026-02-17T12:00:00Z');
    expect(await read(id)).toMatchObject({ status: 'active', past_due_at: null });
    expect((await renewals(id))[0]).toMatchObject({ status: 'paid', next_payment_attempt_at: null });
    expect(await events('subscription.reactivated')).toMatchObject([{ metadata: { subscription_id: id } }]);
    expect(await shop.webhooks()).toEqual([
      'order.updated',
      'order.paid',
      'subscription.updated',
      'subscription.active',
    ]);
  });

  describe('after which the customer gives another card', () => {
    const giveCard = async (customerId: string, token: string) => {
      const as = customerSession(shop.organization.id, customerId);
      const body = { confirmation_token_id: token, set_default: true, return_url: 'https://shop.test' };
      const path = '/v1/customer-portal/customers/me/payment-methods';
      expect(await shop.request('POST', path, { as, body })).toMatchObject({ status: 201 });
      await collectUntilDone();
    };

    test('is collected from it at once', async () => {
      const { id, customer_id } = await failing();
      await at('2026-02-15T12:00:00Z');
      await giveCard(customer_id, 'tok_visa');
      expect(await read(id)).toMatchObject({ status: 'active', past_due_at: null });
      const [order] = await renewals(id);
      expect((await payments(order.id)).map(({ status, trigger }) => [status, trigger])).toEqual([
        ['failed', 'subscription_cycle'],
        ['succeeded', 'retry_payment_method_update'],
      ]);
    });

    test('keeps its plan when that card is refused too, however many are tried', async () => {
      const { id, customer_id } = await failing();
      await at('2026-02-15T12:00:00Z');
      shop.clock.advance({ hours: 1 });
      for (let tries = 0; tries < 5; tries += 1) await giveCard(customer_id, 'tok_fails_later');
      expect(await read(id)).toMatchObject({ status: 'past_due' });
      const [order] = await renewals(id);
      expect(order).toMatchObject({ status: 'pending', next_payment_attempt_at: '2026-02-17T12:00:00.000Z' });
      expect(await payments(order.id)).toHaveLength(6);
      await at('2026-02-17T12:00:00Z');
      expect((await renewals(id))[0]).toMatchObject({ next_payment_attempt_at: '2026-02-22T12:00:00.000Z' });
    });
  });

  test('does not stop the next period', async () => {
    const product = shop.product({ recurring_interval: 'week' });
    const { id } = await subscribe(product, 'tok_fails_later');
    await at('2026-01-22T12:00:00Z');
    await at('2026-01-29T12:00:00Z');
    expect(await read(id)).toMatchObject({
      status: 'past_due',
      current_period_start: '2026-01-29T12:00:00.000Z',
    });
    expect((await renewals(id)).map(({ status }) => status)).toEqual(['pending', 'pending']);
    await at('2026-02-12T12:02:00Z');
    expect(await read(id)).toMatchObject({ status: 'canceled' });
    expect((await renewals(id)).every(({ status }) => status === 'void')).toBe(true);
  });

  test('fails without a payment method, which is no attempt of the processor', async () => {
    const { id, customer_id } = await subscribe(monthly());
    await shop.app.db.query('update payment_methods set deleted_at = now() where customer_id = $1', [
      customer_id,
    ]);
    await at('2026-02-15T12:00:00Z');
    expect(await read(id)).toMatchObject({ status: 'past_due' });
    const [order] = await renewals(id);
    expect(order).toMatchObject({ status: 'pending', next_payment_attempt_at: '2026-02-17T12:00:00.000Z' });
    expect(await payments(order.id)).toEqual([]);
  });

  test('that needs the customer to confirm it counts as refused', async () => {
    const { id } = await failing();
    const { processor } = shop.app;
    const waiting: Outcome = { status: 'requires_action', intentId: `pi_${newId()}`, clientSecret: 'secret' };
    let canceled = 0;
    shop.app.processor = {
      ...processor,
      charge: async () => waiting,
      read: async () => waiting,
      cancel: async () => {
        canceled += 1;
      },
    };
    await at('2026-02-15T12:00:00Z');
    expect(canceled).toBe(1);
    expect(await read(id)).toMatchObject({ status: 'past_due' });
  });

  test('of the last usage leaves the ended subscription ended', async () => {
    const { id } = await subscribe(
      monthly({ prices: [fixed(1_000), metered(knownMeter(), '2')] }),
      'tok_fails_later',
    );
    await shop.ok('PATCH', `/v1/subscriptions/${id}`, { cancel_at_period_end: true });
    meterUsage([{ at: '2026-02-01T00:00:00Z', units: 150 }]);
    await at('2026-02-15T12:00:00Z');
    expect((await renewals(id))[0]).toMatchObject({
      status: 'pending',
      next_payment_attempt_at: '2026-02-17T12:00:00.000Z',
    });
    await at('2026-03-09T00:00:00Z');
    expect((await renewals(id))[0]).toMatchObject({ status: 'void' });
    expect(await read(id)).toMatchObject({ status: 'canceled', past_due_at: null });
  });
});

describe('a crash', () => {
  test('after the order was made leaves it to be collected by the next process', async () => {
    const { id } = await subscribe(monthly());
    shop.clock.set('2026-02-15T12:00:00Z');
    await cycleUntilDone();
    expect(await renewals(id)).toMatchObject([{ status: 'pending', next_payment_attempt_at: null }]);
    await collectUntilDone();
    expect(await renewals(id)).toMatchObject([{ status: 'paid' }]);
  });

  test('after a subscription was claimed lets another process take it when the lease is over', async () => {
    const { id } = await subscribe(monthly());
    shop.clock.set('2026-02-15T12:00:00Z');
    const { claimDueSubscriptions } = await import('./store.ts');
    const lease = new Date('2026-02-15T12:05:00Z');
    expect(await claimDueSubscriptions(shop.app.db, shop.clock.now(), lease, 10)).toEqual([id]);
    await at('2026-02-15T12:04:59Z');
    expect(await renewals(id)).toEqual([]);
    await at('2026-02-15T12:05:00Z');
    expect(await renewals(id)).toMatchObject([{ status: 'paid' }]);
  });

  test('between the charge and its booking takes the money once', async () => {
    const { id } = await subscribe(monthly());
    const { processor } = shop.app;
    let crashes = 0;
    shop.app.processor = {
      ...processor,
      async charge(key, method, sum) {
        const outcome = await processor.charge(key, method, sum);
        if (crashes < 2) {
          crashes += 1;
          throw new Error('the process died');
        }
        return outcome;
      },
    };
    await at('2026-02-15T12:00:00Z');
    await at('2026-02-15T12:05:00Z');
    expect(await renewals(id)).toMatchObject([{ status: 'pending' }]);
    await at('2026-02-15T12:10:00Z');
    const [order] = await renewals(id);
    expect(order).toMatchObject({ status: 'paid' });
    expect(await payments(order.id)).toHaveLength(1);
    const charges = await shop.app.db.query(`select key from sandbox_intents where key like 'order:%'`);
    expect(charges).toEqual([{ key: `order:${order.id}:0` }]);
  });

  test('after the charge of an order given up meanwhile does not lose the payment', async () => {
    const { id } = await subscribe(monthly());
    const { processor } = shop.app;
    shop.app.processor = {
      ...processor,
      async charge(key, method, sum) {
        await processor.charge(key, method, sum);
        throw new Error('the process died');
      },
    };
    await at('2026-02-15T12:00:00Z');
    await shop.ok('DELETE', `/v1/subscriptions/${id}`);
    expect(await renewals(id)).toMatchObject([{ status: 'void' }]);
    shop.app.processor = processor;
    await at('2026-02-15T12:05:00Z');
    const [order] = await renewals(id);
    expect(order).toMatchObject({ status: 'paid' });
    expect(await payments(order.id)).toMatchObject([{ status: 'succeeded' }]);
    expect(await events('order.unvoided')).toMatchObject([{ metadata: { order_id: order.id } }]);
    expect(await read(id)).toMatchObject({ status: 'canceled' });
  });

  test('an end while the charge is under way does not lose the payment', async () => {
    const { id } = await subscribe(monthly());
    const { processor } = shop.app;
    shop.app.processor = {
      ...processor,
      async charge(key, method, sum) {
        const outcome = await processor.charge(key, method, sum);
        await shop.ok('DELETE', `/v1/subscriptions/${id}`);
        return outcome;
      },
    };
    await at('2026-02-15T12:00:00Z');
    expect(await renewals(id)).toMatchObject([{ status: 'paid' }]);
    expect(await read(id)).toMatchObject({ status: 'canceled' });
  });
});

test('a cancellation that comes in while usage is read is heeded', async () => {
  const { id } = await subscribe(monthly({ prices: [fixed(1_000), metered(knownMeter(), '0.5')] }));
  shop.clock.set('2026-02-15T12:00:00Z');
  const { metering } = shop.app;
  let isFirst = true;
  shop.app.metering = {
    ...metering,
    async getUsage(request) {
      if (isFirst) {
        isFirst = false;
        await shop.ok('PATCH', `/v1/subscriptions/${id}`, { cancel_at_period_end: true });
      }
      return metering.getUsage(request);
    },
  };
  await cycleUntilDone();
  expect(await read(id)).toMatchObject({
    status: 'canceled',
    current_period_end: '2026-02-15T12:00:00.000Z',
  });
  expect(await renewals(id)).toEqual([]);
});

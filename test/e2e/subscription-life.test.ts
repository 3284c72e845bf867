import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestClock, testClock } from '@tributary/runtime/testing/clock.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { type Answer, expectStatus } from '../story/api.ts';
import { startTestPlatform, type TestPlatform } from './test-platform.ts';

type Body = Answer['body'];

const TIMEOUT_MS = 180_000;
/** The schedulers look every ten seconds. */
const PATIENCE_MS = 60_000;

let platform: TestPlatform;
let clock: TestClock;
beforeAll(async () => {
  clock = testClock(new Date());
  platform = await startTestPlatform({ clock });
}, TIMEOUT_MS);
afterAll(() => platform?.stop());

const get = async (path: string): Promise<Body> => expectStatus(await platform.merchant.get(path), 200);
const post = async (path: string, body: object, status = 201): Promise<Body> =>
  expectStatus(await platform.merchant.post(path, body), status);

async function buy(
  productId: string,
  body: object = {},
): Promise<{ customer_id: string; subscription: Body }> {
  const opened = await post('/v1/checkouts/', {
    products: [productId],
    customer_name: 'Ada Buyer',
    customer_email: `ada-${crypto.randomUUID().slice(0, 8)}@example.com`,
    customer_billing_address: {
      country: 'US',
      state: 'US-NY',
      line1: '1 Main St',
      city: 'New York',
      postal_code: '10001',
    },
    ...body,
  });
  const confirm = `/v1/checkouts/client/${opened.client_secret}/confirm`;
  const buyer = platform.merchant.as(undefined);
  expectStatus(await buyer.post(confirm, { confirmation_token_id: 'tok_visa' }), 200);
  const { customer_id } = await get(`/v1/checkouts/${opened.id}`);
  const { items } = await get(`/v1/subscriptions/?customer_id=${customer_id}`);
  return { customer_id, subscription: items[0] };
}

test(
  'a month of usage is billed with the next month, and meters start again',
  async () => {
    const meter = await post('/v1/meters/', {
      name: 'Renders',
      filter: { conjunction: 'and', clauses: [{ property: 'name', operator: 'eq', value: 'render' }] },
      aggregation: { func: 'sum', property: 'frames' },
    });
    const product = await post('/v1/products/', {
      name: 'Studio',
      recurring_interval: 'month',
      prices: [
        { amount_type: 'fixed', price_amount: 1_000, price_currency: 'usd' },
        { amount_type: 'metered_unit', meter_id: meter.id, unit_amount: '0.5', price_currency: 'usd' },
      ],
    });
    const { customer_id, subscription } = await buy(product.id);
    clock.advance({ days: 1 });
    const event = { name: 'render', customer_id, metadata: { frames: 75 } };
    await post('/v1/events/ingest', { events: [event, event] }, 200);
    const meters = async (): Promise<Body> => (await get(`/v1/subscriptions/${subscription.id}`)).meters;
    await eventually(async () =>
      expect(await meters()).toMatchObject([{ meter_id: meter.id, consumed_units: 150, amount: 75 }]),
    );
    await eventually(async () => {
      const { items } = await get(`/v1/events/?name=render&customer_id=${customer_id}&sorting=timestamp`);
      const customer = await get(`/v1/customers/${customer_id}`);
      expect(customer.first_user_event_at).toBe(items[0].timestamp);
      expect(items[0].customer.first_user_event_at).toBe(items[0].timestamp);
    }, PATIENCE_MS);
    clock.set(new Date(new Date(subscription.current_period_end).getTime() + 1_000));
    const renewed = await eventually(async () => {
      const { items } = await get(`/v1/orders/?subscription_id=${subscription.id}&status=paid`);
      const order = items.find((one: Body) => one.billing_reason === 'subscription_cycle');
      expect(order).toBeDefined();
      return order;
    }, PATIENCE_MS);
    expect(renewed).toMatchObject({
      total_amount: 1_075,
      items: [{ amount: 1_000 }, { label: 'Renders (150 × 0.005 USD)', amount: 75 }],
    });
    expect(await get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'active',
      current_period_start: subscription.current_period_end,
    });
    await eventually(
      async () => expect(await meters()).toMatchObject([{ consumed_units: 0, amount: 0 }]),
      PATIENCE_MS,
    );
    await eventually(async () => {
      const { items } = await get(`/v1/events/?name=subscription.cycled&customer_id=${customer_id}`);
      expect(items).toMatchObject([
        {
          source: 'system',
          timestamp: subscription.current_period_end,
          metadata: { subscription_id: subscription.id },
        },
      ]);
    });
  },
  TIMEOUT_MS,
);

test(
  'a team fills its seats: invited by mail, signed in by the claim, entitled until the seat is taken away',
  async () => {
    const product = await post('/v1/products/', {
      name: 'Team desk',
      recurring_interval: 'month',
      prices: [
        {
          amount_type: 'seat_based',
          price_currency: 'usd',
          seat_tiers: { tiers: [{ min_seats: 1, max_seats: null, price_per_seat: 500 }] },
        },
      ],
    });
    const benefit = await post('/v1/benefits/', {
      type: 'license_keys',
      description: 'Desk license',
      properties: {},
    });
    await post(`/v1/products/${product.id}/benefits`, { benefits: [benefit.id] }, 200);
    const { subscription } = await buy(product.id, {
      seats: 2,
      success_url: 'https://merchant.example/thanks',
    });
    const email = `grace-${crypto.randomUUID().slice(0, 8)}@example.com`;
    const seat = await post('/v1/customer-seats', { subscription_id: subscription.id, email }, 200);
    const token = await eventually(async () => {
      const mail = mailTo(email);
      expect(mail).toBeDefined();
      return /invitation_token=(trb_si_\w+)/.exec(mail!)![1]!;
    }, PATIENCE_MS);
    const guest = platform.merchant.as(undefined);
    expect(expectStatus(await guest.get(`/v1/customer-seats/claim/${token}`), 200)).toMatchObject({
      product_name: 'Team desk',
      customer_email: email,
      can_claim: true,
    });
    const claimed = expectStatus(
      await guest.post('/v1/customer-seats/claim', { invitation_token: token }),
      200,
    );
    expect(claimed.seat).toMatchObject({ id: seat.id, status: 'claimed' });
    const holder = platform.merchant.as(claimed.customer_session_token);
    expect(expectStatus(await holder.get('/v1/customer-portal/seats/subscriptions'), 200)).toMatchObject({
      items: [{ id: subscription.id, seats: 2, product: { id: product.id } }],
      pagination: { total_count: 1 },
    });
    const keys = async () => expectStatus(await holder.get('/v1/customer-portal/license-keys/'), 200).items;
    await eventually(async () => expect(await keys()).toMatchObject([{ status: 'granted' }]), PATIENCE_MS);
    expectStatus(await platform.merchant.delete(`/v1/customer-seats/${seat.id}`), 200);
    await eventually(async () => {
      const { items } = await get(`/v1/benefits/${benefit.id}/grants`);
      expect(items).toMatchObject([{ member_id: seat.member_id, is_granted: false, is_revoked: true }]);
    }, PATIENCE_MS);
    expect(expectStatus(await holder.get('/v1/customer-portal/seats/subscriptions'), 200).items).toEqual([]);
  },
  TIMEOUT_MS,
);

/** The mail to an address, as its lines were before they were folded. */
function mailTo(address: string): string | undefined {
  const mails = readdirSync(platform.mailFolder).map((file) =>
    readFileSync(join(platform.mailFolder, file), 'utf8'),
  );
  return mails
    .find((mail) => mail.includes(address))
    ?.replaceAll(/=\r?\n/g, '')
    .replaceAll('=3D', '=');
}

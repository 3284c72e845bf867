import { newId } from '@tributary/proto/id.ts';
import { customerSession, memberSession } from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed, meterCopy, metered } from '../testing/copies.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Any = any;

let shop: CommerceUnderTest;
beforeAll(async () => {
  shop = await commerceUnderTest();
});
afterAll(() => shop.stop());

const PATH = '/v1/customer-portal/subscriptions/';
const monthly = (given: object = {}) => shop.product({ recurring_interval: 'month', ...given });

async function subscribe(product: { id: string } = monthly(), body: object = {}) {
  const { customer_id } = await shop.buy(product.id, { metadata: { secret: 'of the merchant' }, ...body });
  const [subscription] = (await shop.ok('GET', `/v1/subscriptions/?customer_id=${customer_id}`)).items;
  const as = customerSession(shop.organization.id, customer_id);
  const api = (method: string, target: string, sent?: unknown) =>
    shop.request(method, target, { as, body: sent });
  return { id: subscription.id as string, customer_id: customer_id as string, subscription, api };
}

describe('a customer', () => {
  test('sees their subscriptions without what is the merchant’s own', async () => {
    const meter = meterCopy({ organization_id: shop.organization.id });
    shop.put('meters', meter);
    const product = monthly({ prices: [fixed(1_000), metered(meter, '2')] });
    const { id, customer_id, api } = await subscribe(product);
    shop.usage.set(`${customer_id} ${meter.id}`, { consumed_units: '8', credited_units: 3 });
    const { body } = await api('GET', `${PATH}${id}`);
    expect(body).toMatchObject({
      id,
      status: 'active',
      amount: 1_000,
      product: {
        id: product.id,
        benefits: [],
        organization: {
          id: shop.organization.id,
          slug: shop.organization.slug,
          proration_behavior: 'prorate',
          customer_portal_settings: shop.organization.customer_portal_settings,
          organization_features: { member_model_enabled: true, checkout_localization_enabled: false },
        },
      },
      prices: product.prices,
      pending_update: null,
    });
    expect(body.meters).toEqual([
      {
        id: expect.any(String),
        created_at: expect.any(String),
        modified_at: null,
        consumed_units: 8,
        credited_units: 3,
        amount: 10,
        meter_id: meter.id,
        meter: { id: meter.id, created_at: meter.created_at, modified_at: null, name: meter.name },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('of the merchant');
    for (const key of ['metadata', 'customer', 'discount', 'custom_field_data'])
      expect(body).not.toHaveProperty(key);
    expect((await api('GET', PATH)).body).toEqual({
      items: [body],
      pagination: { total_count: 1, max_page: 1 },
    });
  });

  test("does not find another's", async () => {
    const { id } = await subscribe();
    const { api } = await subscribe();
    const missing = { status: 404, body: { error: 'ResourceNotFound' } };
    expect(await api('GET', `${PATH}${id}`)).toMatchObject(missing);
    expect(await api('PATCH', `${PATH}${id}`, { cancel_at_period_end: true })).toMatchObject(missing);
    expect(await api('DELETE', `${PATH}${id}`)).toMatchObject(missing);
    expect(await api('GET', `${PATH}x`)).toMatchObject({ status: 422 });
  });

  test('finds them by product, by name and by whether they are active, in any order', async () => {
    const apple = monthly({ name: 'Apple crate' });
    const zebra = monthly({ name: 'Zebra 100% box' });
    const { customer_id, api, id: first } = await subscribe(apple);
    await shop.buy(zebra.id, { customer_id, customer_email: undefined });
    const [second] = (await shop.ok('GET', `/v1/subscriptions/?product_id=${zebra.id}`)).items;
    const finds = async (query: string) =>
      (await api('GET', `${PATH}?${query}`)).body.items.map(({ id }: Any) => id);
    expect(await finds(`product_id=${apple.id}`)).toEqual([first]);
    expect(await finds('query=zebra')).toEqual([second.id]);
    expect(await finds('query=100%25')).toEqual([second.id]);
    expect(await finds('query=%25')).toEqual([second.id]);
    expect(await finds('sorting=product')).toEqual([first, second.id]);
    expect(await finds('sorting=-product')).toEqual([second.id, first]);
    for (const key of ['started_at', 'amount', 'status', 'organization']) {
      expect(await finds(`sorting=${key}`)).toEqual((await finds(`sorting=-${key}`)).toReversed());
    }
    await shop.ok('DELETE', `/v1/subscriptions/${first}`);
    expect(await finds('active=true')).toEqual([second.id]);
    expect(await finds('active=false')).toEqual([first]);
    expect(await finds('limit=1&page=3')).toEqual([]);
    expect(await api('GET', `${PATH}?sorting=customer`)).toMatchObject({ status: 422 });
    expect(await api('GET', `${PATH}?page=0`)).toMatchObject({ status: 422 });
  });

  test('cancels at the end of the period, and takes it back', async () => {
    const { id, subscription, api } = await subscribe();
    const canceled = await api('PATCH', `${PATH}${id}`, {
      cancel_at_period_end: true,
      cancellation_reason: 'missing_features',
      cancellation_comment: 'No boats',
    });
    expect(canceled).toMatchObject({
      status: 200,
      body: {
        status: 'active',
        cancel_at_period_end: true,
        ends_at: subscription.current_period_end,
        customer_cancellation_reason: 'missing_features',
        customer_cancellation_comment: 'No boats',
      },
    });
    expect(await api('DELETE', `${PATH}${id}`)).toMatchObject({
      status: 403,
      body: { error: 'AlreadyCanceledSubscription' },
    });
    const back = await api('PATCH', `${PATH}${id}`, { cancel_at_period_end: false });
    expect(back).toMatchObject({ status: 200, body: { cancel_at_period_end: false, canceled_at: null } });
    const again = await api('DELETE', `${PATH}${id}`);
    expect(again).toMatchObject({ status: 200, body: { status: 'active', cancel_at_period_end: true } });
  });

  test('needs a payment method to go on with what costs money', async () => {
    const { id, customer_id, api } = await subscribe();
    await api('DELETE', `${PATH}${id}`);
    await shop.app.db.query('update payment_methods set deleted_at = now() where customer_id = $1', [
      customer_id,
    ]);
    expect(await api('PATCH', `${PATH}${id}`, { cancel_at_period_end: false })).toMatchObject({
      status: 409,
      body: { error: 'PaymentMethodRequired' },
    });
  });

  test('needs none for what is free', async () => {
    const { id, api } = await subscribe(monthly({ prices: [fixed(0)] }));
    await api('DELETE', `${PATH}${id}`);
    expect(await api('PATCH', `${PATH}${id}`, { cancel_at_period_end: false })).toMatchObject({
      status: 200,
    });
  });

  test.each<[string, unknown]>([
    ['an end at once', { revoke: true }],
    ['metadata', { metadata: {} }],
    ['an unknown reason', { cancel_at_period_end: true, cancellation_reason: 'bored' }],
    ['text', 'cancel'],
  ])('may not ask for %s', async (_what, body) => {
    const { id, api } = await subscribe();
    expect(await api('PATCH', `${PATH}${id}`, body)).toMatchObject({ status: 422 });
  });
});

describe('a member', () => {
  test('cancels with a billing role, and only looks without', async () => {
    const { id, customer_id } = await subscribe();
    const as = (role: Any) => ({ as: memberSession(shop.organization.id, customer_id, newId(), role) });
    expect(await shop.request('GET', `${PATH}${id}`, as('member'))).toMatchObject({ status: 200 });
    const denied = { status: 403, body: { error: 'NotPermitted' } };
    expect(await shop.request('DELETE', `${PATH}${id}`, as('member'))).toMatchObject(denied);
    const patch = { body: { cancel_at_period_end: true } };
    expect(await shop.request('PATCH', `${PATH}${id}`, { ...as('member'), ...patch })).toMatchObject(denied);
    expect(await shop.request('PATCH', `${PATH}${id}`, { ...as('owner'), ...patch })).toMatchObject({
      status: 200,
    });
  });
});

test('nobody else gets in', async () => {
  expect(await shop.request('GET', PATH)).toMatchObject({ status: 401 });
  expect(await shop.request('GET', PATH, { as: shop.merchant })).toMatchObject({
    status: 401,
    body: { error: 'Unauthorized' },
  });
});

test('deleting a customer ends what they subscribed to at once, and says so', async () => {
  const { id, customer_id } = await subscribe();
  await shop.emptyOutbox();
  await shop.ok('DELETE', `/v1/customers/${customer_id}`);
  const now = shop.clock.now().toISOString();
  expect(await shop.ok('GET', `/v1/subscriptions/${id}`)).toMatchObject({
    status: 'canceled',
    ended_at: now,
    customer: { id: customer_id, deleted_at: now },
  });
  expect((await shop.webhooks()).filter((type) => type.startsWith('subscription'))).toEqual([
    'subscription.updated',
    'subscription.canceled',
    'subscription.revoked',
  ]);
  expect(await shop.told('email.send')).toEqual([]);
});

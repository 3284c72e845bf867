import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import {
  expectBothFilters,
  expectFields,
  expectFilter,
  expectIdFilter,
  expectInvalid,
  expectMerchantAccess,
  expectPaging,
  expectSorting,
  expectSortingBySeveral,
  listAll,
} from './expectations.ts';
import {
  addressFields,
  customerFields,
  orderFields,
  orderItemFields,
  orderProductFields,
  orderSubscriptionFields,
} from './fields.ts';
import { address, buy, fixed, makeProduct, monthly, type Purchase } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const PATH = '/v1/orders/';
let platform: TestPlatform;
let once: Json;
let plan: Json;
const purchases: Purchase[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  const { merchant } = platform;
  once = await makeProduct(merchant, { name: 'book', metadata: { shelf: 'a' } });
  plan = await makeProduct(merchant, { name: 'audit', prices: [fixed(2_500)], ...monthly });
  const sales: [Json, string, object][] = [
    [
      once,
      'carol@example.com',
      { external_customer_id: 'carol', metadata: { campaign: 'spring', seats: 3 } },
    ],
    [
      plan,
      'alice@example.com',
      { external_customer_id: 'alice', metadata: { campaign: 'spring', vip: true } },
    ],
    [plan, 'bob@example.com', { metadata: { campaign: 'autumn', seats: '3' } }],
    [once, 'dan@example.com', { customer_billing_name: 'Dan Inc', is_business_customer: true }],
    [once, 'alice@example.com', {}],
  ];
  for (const [product, customer_email, body] of sales)
    purchases.push(await buy(merchant, product, { customer_email, ...body }));
}, 120_000);
afterAll(() => platform?.stop());

test('every field is there, with the customer, product, subscription and items', async () => {
  const [order] = await listAll(platform.merchant, `${PATH}?checkout_id=${purchases[1]!.checkout.id}`);
  expectFields(order, orderFields);
  expectFields(order.customer, customerFields);
  expectFields(order.billing_address, addressFields);
  expectFields(order.product, orderProductFields);
  expectFields(order.subscription, orderSubscriptionFields);
  expect(order.items).toHaveLength(1);
  expectFields(order.items[0], orderItemFields);
  expect(order).toMatchObject({
    status: 'paid',
    paid: true,
    subtotal_amount: 2_500,
    discount_amount: 0,
    net_amount: 2_500,
    total_amount: 2_500 + order.tax_amount,
    applied_balance_amount: 0,
    due_amount: order.total_amount,
    refunded_amount: 0,
    refunded_tax_amount: 0,
    refundable_amount: 2_500,
    refundable_tax_amount: order.tax_amount,
    currency: 'usd',
    billing_reason: 'subscription_create',
    billing_name: 'Ada Buyer',
    billing_address: address,
    discount: null,
    metadata: { campaign: 'spring', vip: true },
    customer: { email: 'alice@example.com', external_id: 'alice' },
    product: { id: plan.id, name: 'audit' },
    subscription: { id: order.subscription_id, status: 'active' },
    next_payment_attempt_at: null,
    seats: null,
    items: [{ amount: 2_500, proration: false, product_price_id: plan.prices[0].id }],
  });
  expect(order).toEqual(expectStatus(await platform.merchant.get(`${PATH}${order.id}`), 200));
  const [single] = await listAll(platform.merchant, `${PATH}?checkout_id=${purchases[0]!.checkout.id}`);
  expect(single).toMatchObject({ subscription: null, subscription_id: null, billing_reason: 'purchase' });
});

test('is paged, the newest first unless sorted otherwise', async () => {
  await expectPaging(platform.merchant, PATH);
  const created = (await listAll(platform.merchant, PATH)).map((item) => item.created_at);
  expect(created).toEqual(created.toSorted().toReversed());
});

test('is sorted by each of the nine keys, both ways', async () => {
  const keys = {
    created_at: (item: Json) => item.created_at,
    status: (item: Json) => item.status,
    invoice_number: (item: Json) => item.invoice_number,
    amount: (item: Json) => item.net_amount,
    net_amount: (item: Json) => item.net_amount,
    customer: (item: Json) => item.customer.email,
    product: (item: Json) => item.product.name,
    discount: (item: Json) => item.discount_id,
    subscription: (item: Json) => item.subscription_id,
  };
  await expectSorting(platform.merchant, PATH, keys);
  await expectSortingBySeveral(
    platform.merchant,
    PATH,
    ['product', 'customer'],
    [keys.product, keys.customer],
  );
});

describe('is filtered', () => {
  const idFilters: [string, () => string[], (item: Json, id: string) => boolean][] = [
    ['product_id', () => [once.id, plan.id], (item, id) => item.product_id === id],
    [
      'customer_id',
      () => purchases.slice(0, 2).map(({ customer }) => customer.id),
      (item, id) => item.customer_id === id,
    ],
    [
      'checkout_id',
      () => purchases.slice(0, 2).map(({ checkout }) => checkout.id),
      (item, id) => item.checkout_id === id,
    ],
    [
      'subscription_id',
      () => purchases.slice(1, 3).map(({ subscription }) => subscription.id),
      (item, id) => item.subscription_id === id,
    ],
  ];
  test.each(idFilters)('by %s', (name, values, matches) =>
    expectIdFilter(platform.merchant, PATH, name, values(), matches),
  );

  test('by discount_id', async () => {
    const unknown = purchases[0]!.order.id;
    expect(await listAll(platform.merchant, `${PATH}?discount_id=${unknown}&discount_id=${once.id}`)).toEqual(
      [],
    );
    expectInvalid(await platform.merchant.get(`${PATH}?discount_id=x`), ['query', 'discount_id']);
  });

  test('by product_billing_type', async () => {
    const matches = (item: Json, type: string) => (item.subscription_id === null) === (type === 'one_time');
    await expectFilter(platform.merchant, PATH, 'product_billing_type', ['one_time', 'recurring'], matches);
    expectInvalid(await platform.merchant.get(`${PATH}?product_billing_type=x`), [
      'query',
      'product_billing_type',
    ]);
  });

  test('by external_customer_id', async () => {
    const matches = (item: Json, id: string) => item.customer.external_id === id;
    await expectFilter(platform.merchant, PATH, 'external_customer_id', ['alice', 'carol'], matches);
    expect(await listAll(platform.merchant, `${PATH}?external_customer_id=none`)).toEqual([]);
  });

  test('by status', async () => {
    const all = await listAll(platform.merchant, PATH);
    const { merchant } = platform;
    expect(await listAll(merchant, `${PATH}?status=paid&status=void`)).toEqual(all);
    for (const status of ['draft', 'pending', 'refunded', 'partially_refunded', 'void'])
      expect(await listAll(merchant, `${PATH}?status=${status}`)).toEqual([]);
    expectInvalid(await merchant.get(`${PATH}?status=open`), ['query', 'status']);
  });

  test('by created_after and created_before, neither of which includes its instant', async () => {
    const all = await listAll(platform.merchant, `${PATH}?sorting=created_at`);
    const idsOf = (items: Json[]) => items.map(({ id }) => id);
    const at = encodeURIComponent(all[1].created_at);
    const to = encodeURIComponent(all[3].created_at);
    const list = (query: string) => listAll(platform.merchant, `${PATH}?sorting=created_at&${query}`);
    expect(idsOf(await list(`created_after=${at}`))).toEqual(idsOf(all.slice(2)));
    expect(idsOf(await list(`created_before=${at}`))).toEqual(idsOf(all.slice(0, 1)));
    expect(idsOf(await list(`created_after=${at}&created_before=${to}`))).toEqual(idsOf(all.slice(2, 3)));
    for (const name of ['created_after', 'created_before'])
      for (const value of ['2026-01-01T00:00:00', 'yesterday'])
        expectInvalid(await platform.merchant.get(`${PATH}?${name}=${value}`), ['query', name]);
  });

  test('by metadata, whose values are compared as text', async () => {
    const emails = async (query: string) =>
      (await listAll(platform.merchant, `${PATH}?${query}`)).map((item) => item.customer.email).toSorted();
    expect(await emails('metadata[campaign]=spring')).toEqual(['alice@example.com', 'carol@example.com']);
    expect(await emails('metadata[campaign]=spring&metadata[campaign]=autumn')).toHaveLength(3);
    expect(await emails('metadata[seats]=3')).toEqual(['bob@example.com', 'carol@example.com']);
    expect(await emails('metadata[vip]=true')).toEqual(['alice@example.com']);
    expect(await emails('metadata[campaign]=spring&metadata[seats]=3')).toEqual(['carol@example.com']);
    expect(await emails('metadata%5Bcampaign%5D=autumn')).toEqual(['bob@example.com']);
    expect(await emails('metadata[campaign]=winter')).toEqual([]);
    expect(await emails('metadata[missing]=spring')).toEqual([]);
  });

  test('by organization_id, within what the caller reaches', async () => {
    const { merchant, organizationId } = platform;
    const own = await listAll(merchant, PATH);
    for (const id of [organizationId, organizationId.toUpperCase()])
      expect(await listAll(merchant, `${PATH}?organization_id=${id}`)).toEqual(own);
    const stranger = merchant.as(await platform.strangerToken());
    expect(await listAll(stranger, `${PATH}?organization_id=${organizationId}`)).toEqual([]);
    expectInvalid(await merchant.get(`${PATH}?organization_id=x`), ['query', 'organization_id']);
  });

  test('by several filters, which must all hold', () =>
    expectBothFilters(platform.merchant, PATH, [`product_id=${once.id}`, 'external_customer_id=alice']));
});

test(
  'takes every merchant scheme with orders:read, and orders:write does not read',
  () => expectMerchantAccess(platform, { granting: ['orders:read'], success: 200 }, (api) => api.get(PATH)),
  60_000,
);

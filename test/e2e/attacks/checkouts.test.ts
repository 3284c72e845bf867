import { setTimeout as pause } from 'node:timers/promises';
import { apiClient, expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 60_000);
afterAll(() => platform?.stop());

const address = {
  country: 'US',
  state: 'US-NY',
  line1: '1 Main St',
  city: 'New York',
  postal_code: '10001',
};
const buyer = (email: string) => ({
  confirmation_token_id: 'tok_visa',
  customer_email: email,
  customer_name: 'Ada Buyer',
  customer_billing_address: address,
});

const newProduct = async () =>
  expectStatus(
    await platform.merchant.post('/v1/products/', {
      name: 'Print',
      prices: [{ amount_type: 'fixed', price_amount: 1_000, price_currency: 'usd' }],
    }),
    201,
  );
const open = async (productId: string, more: object = {}) =>
  expectStatus(await platform.merchant.post('/v1/checkouts/', { products: [productId], ...more }), 201);
/** Not checked against the API document: who comes second may be told 409, which the contract does not list. */
const confirm = (checkout: { client_secret: string }, body: object) =>
  apiClient({ baseUrl: platform.baseUrl }).post(
    `/v1/checkouts/client/${checkout.client_secret}/confirm`,
    body,
  );
const ordersWhere = async (query: string) =>
  expectStatus(await platform.merchant.get(`/v1/orders/?limit=100&${query}`), 200).items;
const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

test('a checkout confirmed fifteen times at once is paid once', async () => {
  const checkout = await open((await newProduct()).id);
  const answers = await times(15, () => confirm(checkout, buyer('often@example.com')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.every(({ status }) => [200, 403, 409].includes(status))).toBe(true);
  expect(await ordersWhere(`checkout_id=${checkout.id}`)).toMatchObject([
    { status: 'paid', total_amount: 1_000 },
  ]);
});

test.each(['constructor', '__proto__', 'toString', 'tok_declined', 'tok_expired'])(
  'a checkout that was to be paid with %s is open again',
  async (confirmation_token_id) => {
    const checkout = await open((await newProduct()).id);
    const refused = await confirm(checkout, { ...buyer('odd@example.com'), confirmation_token_id });
    expect([refused.status, refused.body.error]).toEqual([400, 'PaymentError']);
    expect((await confirm(checkout, buyer('odd@example.com'))).status).toBe(200);
    expect(await ordersWhere(`checkout_id=${checkout.id}`)).toHaveLength(1);
  },
);

test('a second step answered both ways at once is decided once', async () => {
  const checkout = await open((await newProduct()).id);
  const waiting = expectStatus(
    await confirm(checkout, { ...buyer('step@example.com'), confirmation_token_id: 'tok_3ds' }),
    200,
  );
  const secret = waiting.payment_processor_metadata.intent_client_secret;
  const answers = await times(6, (index) =>
    platform.merchant.as(undefined).post(`/v1/sandbox/payment-intents/${secret}/complete`, {
      outcome: index % 2 === 0 ? 'authenticated' : 'refused',
    }),
  );
  const decided = answers.filter(({ status }) => status === 200);
  expect(decided).toHaveLength(1);
  const { status } = expectStatus(await platform.merchant.get(`/v1/checkouts/${checkout.id}`), 200);
  const isPaid = decided[0]!.body.status === 'succeeded';
  expect(status).toBe(isPaid ? 'succeeded' : 'open');
  expect(await ordersWhere(`checkout_id=${checkout.id}`)).toHaveLength(isPaid ? 1 : 0);
});

test('twenty purchases of one customer at once have invoice and receipt numbers without gaps', async () => {
  const product = await newProduct();
  const customer = expectStatus(
    await platform.merchant.post('/v1/customers/', { email: 'twenty@example.com' }),
    201,
  );
  const checkouts = await times(20, () => open(product.id, { customer_id: customer.id }));
  const answers = await Promise.all(checkouts.map((checkout) => confirm(checkout, buyer('x@example.com'))));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const orders = await ordersWhere(`customer_id=${customer.id}`);
  const numbered = (key: string) =>
    orders
      .map((order: Record<string, string>) => Number(order[key]!.slice(-4)))
      .sort((a: number, b: number) => a - b);
  const oneToTwenty = Array.from({ length: 20 }, (_, index) => index + 1);
  expect(numbered('invoice_number')).toEqual(oneToTwenty);
  expect(numbered('receipt_number')).toEqual(oneToTwenty);
});

test('sessions of one new buyer, known by e-mail or by external id, end with one customer', async () => {
  const product = await newProduct();
  const byEmail = await times(8, () => open(product.id));
  const named = await Promise.all(
    byEmail.map((checkout, index) =>
      confirm(checkout, buyer(index % 2 === 0 ? 'same@example.com' : 'SAME@example.com')),
    ),
  );
  expect(named.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(named.filter(({ body }) => body.customer_session_token !== null)).toHaveLength(1);

  const byExternalId = await times(8, () => open(product.id, { external_customer_id: 'one-of-eight' }));
  const typed = await Promise.all(
    byExternalId.map((checkout, index) => confirm(checkout, buyer(`typed-${index}@example.com`))),
  );
  expect(typed.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(await ordersWhere('external_customer_id=one-of-eight')).toHaveLength(8);
});

test('what is canceled, uncanceled and revoked at once ends revoked', async () => {
  const product = expectStatus(
    await platform.merchant.post('/v1/products/', {
      name: 'Monthly',
      recurring_interval: 'month',
      prices: [{ amount_type: 'fixed', price_amount: 1_000, price_currency: 'usd' }],
    }),
    201,
  );
  const checkout = await open(product.id);
  expectStatus(await confirm(checkout, buyer('races@example.com')), 200);
  const [order] = await ordersWhere(`checkout_id=${checkout.id}`);
  const path = `/v1/subscriptions/${order.subscription_id}`;
  const answers = await Promise.all([
    platform.merchant.delete(path),
    platform.merchant.patch(path, { cancel_at_period_end: true }),
    platform.merchant.patch(path, { cancel_at_period_end: false }),
    platform.merchant.delete(path),
    platform.merchant.patch(path, { revoke: true }),
  ]);
  expect(answers.every(({ status }) => status < 500)).toBe(true);
  const ended = expectStatus(await platform.merchant.get(path), 200);
  expect(ended).toMatchObject({ status: 'canceled', cancel_at_period_end: false });
  expect(ended.ended_at).not.toBeNull();
});

test.each([
  ['raises', [{ amount_type: 'fixed', price_amount: 5_000, price_currency: 'usd' }], 'usd', 5_000],
  ['withdraws', [{ amount_type: 'fixed', price_amount: 5_000, price_currency: 'usd' }], 'eur', 5_000],
])('a price that the merchant %s is not charged before the session showed the new one', async (...given) => {
  const [, prices, currency, amount] = given;
  const product = expectStatus(
    await platform.merchant.post('/v1/products/', {
      name: 'Print',
      prices: ['usd', 'eur'].map((price_currency) => ({
        amount_type: 'fixed',
        price_amount: 1_000,
        price_currency,
      })),
    }),
    201,
  );
  const checkout = await open(product.id, { currency });
  expectStatus(await platform.merchant.patch(`/v1/products/${product.id}`, { prices }), 200);
  while ((await open(product.id)).amount !== amount) await pause(20);
  expect((await confirm(checkout, buyer('price@example.com'))).status).toBe(422);
  const shown = expectStatus(
    await platform.merchant.as(undefined).patch(`/v1/checkouts/client/${checkout.client_secret}`, {}),
    200,
  );
  expect(shown).toMatchObject({ amount, currency: 'usd', is_payment_required: true });
  expect((await confirm(checkout, buyer('price@example.com'))).status).toBe(200);
  expect(await ordersWhere(`checkout_id=${checkout.id}`)).toMatchObject([{ total_amount: amount }]);
});

test('prices of a checkout’s own obey the rules of the catalog, and are charged', async () => {
  const product = await newProduct();
  const priced = (...prices: object[]) => ({ products: [product.id], prices: { [product.id]: prices } });
  const refused = await platform.merchant.post('/v1/checkouts/', priced({ amount_type: 'metered_unit' }));
  expect([refused.status, refused.body.detail[0].loc]).toEqual([
    422,
    ['body', 'prices', product.id, 0, 'meter_id'],
  ]);
  const deep = JSON.parse(`${'['.repeat(55)}${']'.repeat(55)}`);
  const checkout = await open(product.id, priced({ amount_type: 'fixed', price_amount: 700, deep }));
  expect(checkout.prices[product.id]).toMatchObject([{ source: 'ad_hoc', price_amount: 700 }]);
  expectStatus(await confirm(checkout, buyer('own-price@example.com')), 200);
  expect(await ordersWhere(`checkout_id=${checkout.id}`)).toMatchObject([{ total_amount: 700 }]);
});

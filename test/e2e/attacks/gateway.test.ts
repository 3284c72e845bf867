import { request } from 'node:http';
import { newId } from '@tributary/proto/id.ts';
import { apiClient, expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 60_000);
afterAll(() => platform?.stop());

/** Sends the target as it is: nothing between here and the gateway tidies it up. */
const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(platform.baseUrl);
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    });
    sent.once('error', reject).end();
  });
const asMerchant = () => ({ authorization: `Bearer ${platform.merchantToken}` });

test.each([
  '//v1/customers/',
  '/v1//customers/',
  '/v1/../v1/customers/',
  '/v1/%2e%2e/v1/customers/',
  '/v1/customers%2f',
  '/V1/customers/',
  '/v1/Customers/',
  '/api/api/v1/customers/',
  'http://elsewhere.example.com/v1/customers/',
  '/v1/customers/x/../../orders/',
])('%s is no way to the customers', async (path) => {
  expect((await send(path, asMerchant())).status).toBe(404);
});

test('no header of a client makes it somebody', async () => {
  const forged = { 'x-tributary-principal': 'eyJhbGciOiJub25lIn0.e30.' };
  for (const headers of [forged, { ...forged, connection: 'close, authorization' }]) {
    expect((await send('/v1/customers/', headers)).status).toBe(401);
  }
});

test('no header or parameter turns one method into another', async () => {
  const { id } = expectStatus(
    await platform.merchant.post('/v1/customers/', { email: `${newId()}@example.com` }),
    201,
  );
  const headers = { ...asMerchant(), 'x-http-method-override': 'DELETE', 'x-http-method': 'DELETE' };
  expect((await send(`/v1/customers/${id}?_method=DELETE`, headers)).status).toBe(200);
  expect((await platform.merchant.get(`/v1/customers/${id}`)).status).toBe(200);
});

test('headers that the gateway takes are not too large for a service', async () => {
  const { status } = await send('/v1/customers/', { ...asMerchant(), 'x-padding': 'a'.repeat(15_900) });
  expect(status).toBe(200);
  const tooLarge = await send('/v1/customers/', { ...asMerchant(), 'x-padding': 'a'.repeat(20_000) });
  expect([tooLarge.status, JSON.parse(tooLarge.text).error]).toEqual([431, 'RequestHeaderTooLarge']);
});

test('ten megabytes of wrong events, or of brackets, are refused without an end of the service', async () => {
  const bodies = [`{"events":[${'0,'.repeat(2_000_000)}0]}`, '['.repeat(5_000_000)];
  for (const body of bodies) {
    const { status } = await fetch(`${platform.baseUrl}/v1/events/ingest`, {
      method: 'POST',
      headers: { ...asMerchant(), 'content-type': 'application/json' },
      body,
    });
    expect(status).toBe(422);
  }
  expect((await platform.merchant.get('/v1/events/')).status).toBe(200);
}, 30_000);

test('records of another organization are not found by what a body names', async () => {
  const stranger = apiClient({ baseUrl: platform.baseUrl, token: await platform.strangerToken() });
  const prices = [{ amount_type: 'fixed', price_amount: 0, price_currency: 'usd' }];
  const product = expectStatus(
    await stranger.post('/v1/products/', { name: 'Theirs', recurring_interval: 'month', prices }),
    201,
  );
  const customer = expectStatus(await stranger.post('/v1/customers/', { email: 'theirs@example.org' }), 201);
  const meter = expectStatus(
    await stranger.post('/v1/meters/', {
      name: 'Theirs',
      filter: { conjunction: 'and', clauses: [] },
      aggregation: { func: 'count' },
    }),
    201,
  );
  const own = expectStatus(await platform.merchant.post('/v1/products/', { name: 'Ours', prices }), 201);
  const metered = {
    amount_type: 'metered_unit',
    unit_amount: '1',
    meter_id: meter.id,
    price_currency: 'usd',
  };
  const credit = { meter_id: meter.id, units: 1, rollover: false };
  const attempts: [path: string, body: object][] = [
    ['/v1/checkouts/', { products: [own.id, product.id] }],
    ['/v1/checkouts/', { products: [own.id], customer_id: customer.id }],
    ['/v1/customer-sessions/', { customer_id: customer.id }],
    ['/v1/subscriptions/', { product_id: product.id, customer_id: customer.id }],
    ['/v1/products/', { name: 'Metered', recurring_interval: 'month', prices: [...prices, metered] }],
    ['/v1/benefits/', { type: 'meter_credit', description: 'Credit', properties: credit }],
    ['/v1/events/ingest', { events: [{ name: 'call', customer_id: customer.id }] }],
  ];
  for (const [path, body] of attempts) {
    const answer = await platform.merchant.post(path, body);
    expect([path, answer.status]).toEqual([path, 422]);
    expect(JSON.stringify(answer.body)).not.toMatch(/theirs/i);
  }
});

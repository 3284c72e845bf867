import { CatalogService } from '@tributary/proto/gen/catalog/v1/catalog.ts';
import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { newId } from '@tributary/proto/id.ts';
import { connect } from '@tributary/runtime/grpc/client.ts';
import type { Client } from '@tributary/runtime/grpc/definition.ts';
import { serveGrpc } from '@tributary/runtime/grpc/server.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { ResourcesClient } from '@tributary/runtime/replica/replica.ts';
import { grpcServices } from './grpc.ts';
import { type CatalogUnderTest, catalogUnderTest } from './testing/catalog.ts';

const SECRET = 'a secret that only tests know, 32+ characters';

let catalog: CatalogUnderTest;
let client: ResourcesClient & { close(): void };
let prices: Client<typeof CatalogService> & { close(): void };
let server: Awaited<ReturnType<typeof serveGrpc>>;
beforeAll(async () => {
  catalog = await catalogUnderTest();
  const log = createLog({ service: 'catalog', level: 'silent' });
  server = await serveGrpc({
    port: 0,
    host: '127.0.0.1',
    secret: SECRET,
    services: grpcServices(catalog.app),
    log,
  });
  client = connect(ResourcesService, `127.0.0.1:${server.port}`, SECRET);
  prices = connect(CatalogService, `127.0.0.1:${server.port}`, SECRET);
});
afterAll(async () => {
  client.close();
  prices.close();
  await server.stop();
  await catalog.stop();
});

const ask = async (resource: string, ...ids: string[]) =>
  (await client.getResources({ resource, ids })).resources.map(({ id, value }) => {
    expect(value?.id).toBe(id);
    return value;
  });

test('products, benefits and grants are what the HTTP API shows', async () => {
  const benefit = await catalog.benefit('license_keys');
  const product = await catalog.product({ recurring_interval: null }, [benefit]);
  const customer = catalog.customer();
  await catalog.buy(product.id, customer.id);
  const [grant] = (await catalog.api('GET', `/v1/benefit-grants/?customer_id=${customer.id}`)).body.items;
  expect(await ask('products', product.id, newId())).toEqual([product]);
  expect(await ask('benefits', benefit.id)).toEqual([benefit]);
  expect(await ask('benefit_grants', grant.id)).toEqual([grant]);
  await catalog.api('DELETE', `/v1/benefits/${benefit.id}`);
  expect(await ask('benefits', benefit.id)).toEqual([]);
});

test('what the catalog does not have, and ids that are none, are refused', async () => {
  await expect(ask('license_keys', newId())).rejects.toMatchObject({ type: { status: 400 } });
  await expect(ask('constructor', newId())).rejects.toMatchObject({ type: { status: 400 } });
  await expect(ask('products', 'x')).rejects.toMatchObject({ type: { status: 400 } });
  await expect(ask('products', ...Array.from({ length: 101 }, () => newId()))).rejects.toMatchObject({
    type: { status: 400 },
  });
});

describe('prices that are not in the catalog', () => {
  const make = (product_id: string, ...given: object[]) =>
    prices.makePrices({ products: [{ product_id, prices: JSON.stringify(given) }] });

  test('are made as it would make its own, and stored nowhere', async () => {
    const meter = catalog.meter();
    const { id, prices: own } = await catalog.product();
    const { products, faults } = await make(
      id,
      { amount_type: 'fixed', price_amount: 700, tax_behavior: 'location' },
      { amount_type: 'metered_unit', meter_id: meter.id, unit_amount: 0.25 },
    );
    const made = {
      id: expect.any(String),
      created_at: '2026-01-15T12:00:00.000Z',
      modified_at: null,
      source: 'ad_hoc',
      price_currency: 'usd',
      tax_behavior: null,
      is_archived: false,
      product_id: id,
    };
    const { name, unit, custom_label, custom_multiplier } = meter;
    const shown = { id: meter.id, name, unit, custom_label, custom_multiplier };
    const usage = { unit_amount: '0.25', cap_amount: null, meter_id: meter.id, meter: shown };
    expect({ products, faults }).toEqual({
      products: [
        {
          product_id: id,
          prices: [
            { ...made, amount_type: 'fixed', price_amount: 700 },
            { ...made, amount_type: 'metered_unit', ...usage },
          ],
        },
      ],
      faults: [],
    });
    expect((await catalog.api('GET', `/v1/products/${id}`)).body.prices).toEqual(own);
  });

  test.each<[string, object[]]>([
    ['0.amount_type', [{ amount_type: 'barter' }]],
    ['0.price_amount', [{ amount_type: 'fixed', price_amount: 20 }]],
    ['0.price_amount', [{ amount_type: 'fixed' }]],
    ['0.minimum_amount', [{ amount_type: 'custom', minimum_amount: 20 }]],
    ['0.amount_type', [{ amount_type: 'metered_unit', meter_id: newId(), unit_amount: '1' }]],
    ['1', [{ amount_type: 'fixed', price_amount: 100 }, { amount_type: 'custom' }]],
    ['', [{ amount_type: 'fixed', price_amount: 100, price_currency: 'eur' }]],
    ['', []],
  ])('are refused at %s, all of them', async (path, given) => {
    const [wrong, right] = [await catalog.product({ recurring_interval: null }), await catalog.product()];
    const fine = { product_id: right.id, prices: '[{ "amount_type": "fixed", "price_amount": 100 }]' };
    const { products, faults } = await prices.makePrices({
      products: [fine, { product_id: wrong.id, prices: JSON.stringify(given) }],
    });
    expect(products).toEqual([]);
    expect(faults[0]).toMatchObject({
      product_id: wrong.id,
      msg: expect.any(String),
      type: expect.any(String),
    });
    expect(faults[0]!.path!.join('.')).toBe(path);
  });

  test('of a product nobody knows are a bug of who asks', async () => {
    await expect(make(newId(), {})).rejects.toMatchObject({ type: { status: 400 } });
    await expect(make('nonsense', {})).rejects.toMatchObject({ type: { status: 400 } });
  });
});

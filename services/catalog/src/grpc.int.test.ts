import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { newId } from '@tributary/proto/id.ts';
import { connect } from '@tributary/runtime/grpc/client.ts';
import { serveGrpc } from '@tributary/runtime/grpc/server.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { ResourcesClient } from '@tributary/runtime/replica/replica.ts';
import { grpcServices } from './grpc.ts';
import { type CatalogUnderTest, catalogUnderTest } from './testing/catalog.ts';

const SECRET = 'a secret that only tests know, 32+ characters';

let catalog: CatalogUnderTest;
let client: ResourcesClient & { close(): void };
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
});
afterAll(async () => {
  client.close();
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

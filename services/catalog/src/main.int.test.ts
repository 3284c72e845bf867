import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProcessTransport } from '@tributary/runtime/messaging/in-process.ts';
import { testClock } from '@tributary/runtime/testing/clock.ts';
import { createTestDatabase } from '@tributary/runtime/testing/database.ts';
import type { CatalogConfig } from './config.ts';
import { entities, migrations } from './database.ts';
import { startCatalog } from './main.ts';

const config: Omit<CatalogConfig, 'databaseUrl' | 'filesDirectory'> = {
  port: 0,
  grpcPort: 0,
  databasePoolSize: 5,
  publicUrl: 'https://shop.test',
  internalSecret: 'a secret that only tests know, 32+ characters',
  environment: 'sandbox',
  logLevel: 'silent',
  otelExporterOtlpEndpoint: undefined,
  identityGrpc: '127.0.0.1:1',
  commerceGrpc: '127.0.0.1:1',
  meteringGrpc: '127.0.0.1:1',
};

test('the catalog starts on its own, answers probes and stops', async () => {
  const { url, drop } = await createTestDatabase('catalog', { entities, migrations });
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const transport = inProcessTransport();
  const running = await startCatalog(
    { ...config, databaseUrl: url, filesDirectory: folder },
    { transport, clock: testClock() },
  );
  transport.open();
  const get = (path: string) => fetch(`http://127.0.0.1:${running.port}${path}`);
  expect((await get('/healthz')).status).toBe(200);
  expect((await get('/readyz')).status).toBe(200);
  expect((await get('/v1/products/')).status).toBe(401);
  await running.stop();
  await expect(get('/healthz')).rejects.toThrow('fetch failed');
  await rm(folder, { recursive: true });
  await drop();
});

test('without a place for files it says so', async () => {
  await expect(startCatalog({ ...config, databaseUrl: 'postgres://nowhere' })).rejects.toThrow(
    'FILES_DIRECTORY or S3_BUCKET is missing',
  );
});

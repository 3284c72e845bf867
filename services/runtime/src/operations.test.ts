import type { Server } from 'node:http';
import express from 'express';
import { listen, portOf } from './http/server.ts';
import { type Checks, type OperationsOptions, operations } from './operations.ts';

const servers: Server[] = [];

async function read(
  path: string,
  needs: Checks,
  { misses, ...options }: OperationsOptions & { misses?: Checks } = {},
) {
  const server = await listen(express().use(operations({ needs, misses }, options)), 0, '127.0.0.1');
  servers.push(server);
  const response = await fetch(`http://127.0.0.1:${portOf(server)}${path}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const fine = async () => 1;
const broken = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432'));
const silent = () => new Promise<never>(() => undefined);

test('is alive whatever its servers do', async () => {
  expect(await read('/healthz', { database: broken })).toMatchObject({
    status: 200,
    text: '{"status":"ok"}',
  });
});

test('is ready when every check passes', async () => {
  const { status, text } = await read('/readyz', { database: fine, transport: fine });
  expect([status, JSON.parse(text)]).toEqual([
    200,
    { status: 'ready', checks: { database: 'ok', transport: 'ok' } },
  ]);
});

test('is not ready when one fails or does not answer, and says which but not why', async () => {
  const { status, text } = await read(
    '/readyz',
    { database: fine, transport: broken, cache: silent },
    { timeoutMs: 5 },
  );
  expect([status, JSON.parse(text)]).toEqual([
    503,
    { status: 'unavailable', checks: { database: 'ok', transport: 'failed', cache: 'timed out' } },
  ]);
});

test('is ready without what it only misses, and says so', async () => {
  const { status, text } = await read('/readyz', { database: fine }, { misses: { transport: broken } });
  expect([status, JSON.parse(text)]).toEqual([
    200,
    { status: 'degraded', checks: { database: 'ok', transport: 'failed' } },
  ]);
  const both = await read('/readyz', { database: broken }, { misses: { transport: broken } });
  expect([both.status, JSON.parse(both.text).status]).toEqual([503, 'unavailable']);
});

test('a check that throws before it returns a promise is a failed one', async () => {
  const check = () => {
    throw new Error('not connected');
  };
  expect((await read('/readyz', { database: check })).status).toBe(503);
});

test('is not ready once it stops', async () => {
  const { status, text } = await read('/readyz', { database: fine }, { isStopping: () => true });
  expect([status, JSON.parse(text).status]).toEqual([503, 'stopping']);
});

test('probes that come together share one check; the next ones check again', async () => {
  let runs = 0;
  const gate = Promise.withResolvers<void>();
  const check = async () => {
    runs += 1;
    await gate.promise;
  };
  const server = await listen(express().use(operations({ needs: { database: check } })), 0, '127.0.0.1');
  servers.push(server);
  const probe = () => fetch(`http://127.0.0.1:${portOf(server)}/readyz`).then((response) => response.status);
  const together = [probe(), probe(), probe()];
  gate.resolve();
  expect(await Promise.all(together)).toEqual([200, 200, 200]);
  const before = runs;
  await probe();
  expect(runs).toBe(before + 1);
});

test('shows metrics as Prometheus reads them', async () => {
  const { status, type, text } = await read('/metrics', {});
  expect([status, type]).toEqual([200, expect.stringContaining('text/plain; version=0.0.4')]);
  expect(text).toContain('# TYPE http_request_duration_seconds histogram');
});

import { once } from 'node:events';
import { createServer } from 'node:net';
import { anonymous } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { pino } from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { systemClock } from './clock.ts';
import { NameRecordsInAnswers1768000000000 } from './forget-record.ts';
import { IDEMPOTENCY_TABLE } from './http/idempotency.ts';
import { INTERNAL_TOKEN_HEADER, signPrincipal } from './http/internal-token.ts';
import { routeFor } from './http/route.ts';
import { portOf } from './http/server.ts';
import { kafkaTransport } from './messaging/kafka.ts';
import { emit } from './messaging/outbox.ts';
import { MESSAGING_TABLES } from './messaging/tables.ts';
import { type RunningService, runService } from './service.ts';
import { createTestDatabase, type TestDatabase } from './testing/database.ts';

class CreateTables1700000000000 implements MigrationInterface {
  name = 'CreateTables1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MESSAGING_TABLES + IDEMPOTENCY_TABLE);
  }
  async down(): Promise<void> {}
}

const SECRET = 'a secret that only tests know, 32+ characters';
const DRAIN_MS = 300;
const log = pino({ level: 'silent' });

const announce = routeFor<null>()({
  method: 'POST',
  path: '/v1/news/',
  operation: 'news:create',
  summary: 'Tell something',
  access: anonymous,
  response: z.object({ id: z.string() }),
  handle: ({ transaction }) =>
    transaction(async (tx) => {
      const id = newId();
      const message = { id, topic: 'tributary.test.news', key: id, type: 'news', subject: id, value: { id } };
      await emit(tx, [message]);
      return { id };
    }),
});

let database: TestDatabase;
let service: RunningService;
beforeAll(async () => {
  database = await createTestDatabase('service', {
    entities: [],
    migrations: [CreateTables1700000000000, NameRecordsInAnswers1768000000000],
  });
  const nobody = createServer();
  await once(nobody.listen(0, '127.0.0.1'), 'listening');
  const broker = `127.0.0.1:${portOf(nobody as never)}`;
  await new Promise((resolve) => nobody.close(resolve));
  service = await runService({
    name: 'news',
    config: {
      port: 0,
      grpcPort: 0,
      databaseUrl: database.url,
      databasePoolSize: 5,
      publicUrl: 'http://localhost',
      internalSecret: SECRET,
      environment: 'sandbox',
      logLevel: 'silent',
      otelExporterOtlpEndpoint: undefined,
      drainMs: DRAIN_MS,
    },
    db: database.db,
    app: null,
    transport: kafkaTransport({ brokers: [broker], clientId: 'test', log }),
    routes: [announce],
    grpc: [],
    consumers: [],
    jobs: [],
    reconciliation: [],
    clock: systemClock,
    log,
  });
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const readiness = async () => {
  const response = await fetch(`http://127.0.0.1:${service.port}/readyz`);
  return { code: response.status, ...((await response.json()) as object) };
};

async function post(key = newId()) {
  const token = await signPrincipal({ kind: 'anonymous' }, 'news', SECRET, new Date());
  return fetch(`http://127.0.0.1:${service.port}/v1/news/`, {
    method: 'POST',
    headers: { [INTERNAL_TOKEN_HEADER]: token, 'idempotency-key': key },
  });
}

test('a service starts without its broker, takes writes and keeps what is to be told', async () => {
  expect(await readiness()).toEqual({
    code: 200,
    status: 'degraded',
    checks: { database: 'ok', transport: 'failed' },
  });
  const response = await post();
  expect(response.status).toBe(200);
  const { id } = (await response.json()) as { id: string };
  expect(await database.db.query('select id from outbox')).toEqual([{ id }]);
});

test('a service that is told to stop says so at once, and answers until the notice is over', async () => {
  const stopped = service.stop();
  expect(await readiness()).toMatchObject({ code: 503, status: 'stopping' });
  const response = await post();
  expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
  await stopped;
  await expect(readiness()).rejects.toThrow();
});

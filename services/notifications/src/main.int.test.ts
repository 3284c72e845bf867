import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { webhookEvent } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { INTERNAL_TOKEN_HEADER, signPrincipal } from '@tributary/runtime/http/internal-token.ts';
import { inProcessTransport } from '@tributary/runtime/messaging/in-process.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { RunningService } from '@tributary/runtime/service.ts';
import { createTestDatabase, type TestDatabase } from '@tributary/runtime/testing/database.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { entities, migrations } from './database.ts';
import { startNotifications } from './main.ts';
import { type Receiver, startReceiver } from './testing/receiver.ts';

const secret = randomBytes(24).toString('hex');
let database: TestDatabase;
let service: RunningService;
let receiver: Receiver;

beforeAll(async () => {
  database = await createTestDatabase('notifications', { entities, migrations });
  const transport = inProcessTransport();
  service = await startNotifications(
    {
      port: 0,
      grpcPort: 0,
      databaseUrl: database.url,
      databasePoolSize: 5,
      publicUrl: 'https://example.com',
      internalSecret: secret,
      environment: 'sandbox',
      logLevel: 'silent',
      otelExporterOtlpEndpoint: undefined,
      identityGrpc: '127.0.0.1:1',
      mailDirectory: tmpdir(),
      webhookAllowLoopback: true,
    },
    { transport },
  );
  transport.open();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.stop();
  await service?.stop();
  await database?.drop();
});

test('the started service sends an event as soon as it is told of it', async () => {
  const organizationId = newId();
  const token = await signPrincipal(organizationToken(organizationId), 'notifications', secret, new Date());
  const created = await fetch(`http://127.0.0.1:${service.port}/v1/webhooks/endpoints`, {
    method: 'POST',
    headers: { [INTERNAL_TOKEN_HEADER]: token, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, format: 'raw', events: ['product.created'] }),
  });
  expect(created.status).toBe(201);
  const event = webhookEvent('product.created', organizationId, { id: newId() }, new Date());
  await inTransaction(database.db, (tx) => emit(tx, [event]));
  await receiver.arrived(1);
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ type: 'product.created' });
});

test('answers its probes', async () => {
  const { status } = await fetch(`http://127.0.0.1:${service.port}/readyz`);
  expect(status).toBe(200);
});

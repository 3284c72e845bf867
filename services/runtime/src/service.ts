import type { Logger } from 'pino';
import type { Database } from './db/transaction.ts';
import { type Provided, serveGrpc } from './grpc/server.ts';
import { deleteOldKeys } from './http/idempotency.ts';
import type { Route } from './http/route.ts';
import { httpApplication, listen, portOf } from './http/server.ts';
import { type Job, startJobs } from './job.ts';
import type { Consumer } from './messaging/consumer.ts';
import { forgetOldMessages, inboxSubscription } from './messaging/inbox.ts';
import type { Transport } from './messaging/message.ts';
import { startRelay } from './messaging/relay.ts';
import { countParked, observeMessaging } from './metrics.ts';
import { operations } from './operations.ts';
import type { Running } from './shutdown.ts';
import { closers } from './shutdown.ts';

/** Everything a service is made of, once its `main.ts` has built it. */
export interface ServiceParts<App> {
  name: string;
  databaseUrl: string;
  db: Database;
  app: App;
  transport: Transport;
  routes: readonly Route<App>[];
  grpc: readonly Provided[];
  consumers: readonly Consumer<App>[];
  jobs: readonly Job<App>[];
  port: number;
  grpcPort: number;
  secret: string;
  now: () => Date;
  log: Logger;
}

export interface RunningService extends Running {
  port: number;
  grpcPort: number;
}

/**
 * Starts a service top to bottom (gRPC, consumers, relay, jobs, HTTP) and stops it in reverse: no new requests, then
 * no new messages, then the database.
 */
export async function runService<App>(parts: ServiceParts<App>): Promise<RunningService> {
  const { name, db, app, transport, log, now, secret } = parts;
  const closing = closers(log);
  closing.add('database', () => db.destroy());
  const grpc = await serveGrpc({ port: parts.grpcPort, secret, services: parts.grpc, log });
  closing.add('grpc', grpc.stop);
  closing.add('transport', () => transport.stop());
  const inbox = inboxSubscription({
    service: name,
    db,
    app,
    consumers: parts.consumers,
    log,
    onParked: countParked,
  });
  await transport.subscribe(inbox);
  closing.add('relay', startRelay({ databaseUrl: parts.databaseUrl, transport, service: name, log }));
  closing.add('jobs', startJobs({ jobs: [...parts.jobs, ...housekeeping(db)], app, now, log }));
  closing.add('metrics', observeMessaging(name, db));
  const checks = { database: () => db.query('select 1'), transport: () => transport.ready() };
  const http = httpApplication({
    service: name,
    routes: parts.routes,
    app,
    db,
    secret,
    now,
    log,
    operations: operations(checks),
  });
  const server = await listen(http, parts.port);
  closing.add('http', () => drain(server));
  return { port: portOf(server), grpcPort: grpc.port, stop: closing.stop };
}

const HOUR_MS = 3_600_000;

const housekeeping = (db: Database): Job<unknown>[] => [
  { name: 'delete-old-idempotency-keys', everyMs: HOUR_MS, run: () => deleteOldKeys(db) },
  { name: 'forget-old-messages', everyMs: HOUR_MS, run: () => forgetOldMessages(db) },
];

function drain(server: import('node:http').Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

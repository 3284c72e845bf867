import type { Clock } from './clock.ts';
import type { ServiceConfig } from './config.ts';
import { startLife } from './db/life.ts';
import type { Database } from './db/transaction.ts';
import { type Provided, serveGrpc } from './grpc/server.ts';
import { drainOf } from './http/drain.ts';
import { deleteOldKeys } from './http/idempotency.ts';
import type { Route } from './http/route.ts';
import { httpApplication, listen, portOf } from './http/server.ts';
import { type Job, startJobs } from './job.ts';
import type { Logger } from './log.ts';
import type { Consumer } from './messaging/consumer.ts';
import { forgetOldMessages, inboxSubscription } from './messaging/inbox.ts';
import type { Transport } from './messaging/message.ts';
import { startRelay } from './messaging/relay.ts';
import { observeMessaging } from './metrics.ts';
import { operations } from './operations.ts';
import type { Part } from './reconciliation/books.ts';
import { reconciliation } from './reconciliation/routes.ts';
import { type Running, starting } from './shutdown.ts';

/** Everything a service is made of, once its `main.ts` has built it. */
export interface ServiceParts<App> {
  name: string;
  config: ServiceConfig;
  db: Database;
  app: App;
  transport: Transport;
  routes: readonly Route<App>[];
  grpc: readonly Provided[];
  consumers: readonly Consumer<App>[];
  jobs: readonly Job<App>[];
  /** What `GET /internal/reconciliation` says of the service besides its messages. */
  reconciliation: readonly Part[];
  /** gRPC clients and other things to close at the end. */
  closes?: readonly (() => unknown)[];
  clock: Clock;
  log: Logger;
}

export interface RunningService extends Running {
  port: number;
  grpcPort: number;
}

/**
 * Starts a service (gRPC, consumers, relay, jobs, HTTP) and stops it in reverse: first no new requests, then no new
 * messages, last the database.
 */
export async function runService<App>(parts: ServiceParts<App>): Promise<RunningService> {
  const { name, config, db, app, transport, log, clock } = parts;
  const now = () => clock.now();
  const secret = config.internalSecret;
  return starting(log, async (closing) => {
    closing.add('database', () => db.destroy());
    const life = await startLife(config.databaseUrl, name, log);
    closing.add('life', life.stop);
    for (const close of parts.closes ?? []) closing.add('client', close);
    const at = { host: config.listenHost, port: config.grpcPort };
    const grpc = await serveGrpc({ ...at, secret, services: parts.grpc, log });
    closing.add('grpc', grpc.stop);
    closing.add('transport', () => transport.stop());
    const inbox = inboxSubscription({ service: name, db, app, consumers: parts.consumers, log });
    await transport.subscribe(inbox);
    closing.add('relay', startRelay({ databaseUrl: config.databaseUrl, transport, service: name, log }));
    closing.add('jobs', startJobs({ jobs: [...parts.jobs, ...housekeeping(db)], app, now, log }));
    closing.add('metrics', observeMessaging(name, db));
    const dependencies = {
      needs: { database: () => db.query('select 1') },
      misses: { transport: () => transport.ready() },
    };
    const books = { service: name, db, transport, topics: inbox.topics, parts: parts.reconciliation, log };
    const probes = operations(dependencies, { log, isStopping: closing.isStopping }).use(
      reconciliation(books, now),
    );
    const shared = { service: name, routes: parts.routes, app, db, secret, now, log };
    const http = httpApplication({ ...shared, process: life.number, probes });
    const server = await listen(http, config.port, config.listenHost);
    const drain = drainOf(server);
    closing.add('http', () => drain(config.drainMs ?? 0));
    return { port: portOf(server), grpcPort: grpc.port };
  });
}

const HOUR_MS = 3_600_000;

const housekeeping = (db: Database): Job<unknown>[] => [
  { name: 'delete-old-idempotency-keys', everyMs: HOUR_MS, run: () => deleteOldKeys(db) },
  { name: 'forget-old-messages', everyMs: HOUR_MS, run: () => forgetOldMessages(db) },
];

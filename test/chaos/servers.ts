import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startKafka } from '@tributary/servers/kafka.ts';
import { openCluster } from '@tributary/servers/postgres-cluster.ts';
import { type PostgresServer, startPostgres } from '@tributary/servers/postgres-server.ts';
import { type RedisServer, startRedis } from '@tributary/servers/redis.ts';

/**
 * `node servers.ts <folder>`: keeps PostgreSQL, Kafka and Redis for a run, stops and starts them on orders that come
 * over the channel to its parent, and ends with its parent however that ends. The database is durable: what it has
 * acknowledged is on disk.
 */
export type Order = {
  number: number;
  server: 'postgres' | 'kafka' | 'redis';
  act: 'kill' | 'stop' | 'start';
};
export type Report =
  | { kind: 'ready'; postgresUrl: string; broker: string; redisUrl: string }
  | { kind: 'failed'; message: string }
  | { kind: 'done'; number: number; failure?: string };

const folder = process.argv[2]!;
const report = (message: Report) => process.send?.(message);

const password = randomBytes(16).toString('hex');
const cluster = openCluster(join(folder, 'postgres'));
const postgresOptions = {
  logFile: join(folder, 'postgres.log'),
  settings: { max_connections: '300', shared_buffers: '128MB' },
};
const started: (() => Promise<void>)[] = [];

async function start() {
  let postgres: PostgresServer = await startPostgres(cluster, {
    ...postgresOptions,
    newSuperuserPassword: password,
  });
  const { port } = postgres;
  started.push(() => postgres.stop());
  const kafka = await startKafka(join(folder, 'kafka'));
  started.push(kafka.stop);
  let redis: RedisServer = await startRedis(join(folder, 'redis'));
  const redisPort = Number(new URL(redis.url).port);
  started.push(() => redis.stop());

  const acts = {
    postgres: {
      // Immediate: no checkpoint, so the next start recovers from the log.
      kill: async () => void process.kill(postgres.process.pid, 'SIGQUIT'),
      stop: () => postgres.stop(),
      start: async () => {
        postgres = await startPostgres(cluster, { ...postgresOptions, port });
      },
    },
    kafka: { kill: kafka.kill, stop: kafka.stop, start: kafka.restart },
    redis: {
      kill: () => redis.stop(),
      stop: () => redis.stop(),
      start: async () => {
        redis = await startRedis(join(folder, 'redis'), redisPort);
      },
    },
  };
  process.on('message', ({ number, server, act }: Order) => {
    acts[server][act]().then(
      () => report({ kind: 'done', number }),
      (error: Error) => report({ kind: 'done', number, failure: error.message }),
    );
  });
  const postgresUrl = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  report({ kind: 'ready', postgresUrl, broker: kafka.broker, redisUrl: redis.url });
}

let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await Promise.all(started.map((stop) => stop().catch(() => undefined)));
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
process.on('disconnect', () => void end());
process.on('SIGTERM', () => void end());
process.on('SIGINT', () => undefined);

await start().catch((error: Error) => {
  report({ kind: 'failed', message: error.message });
});

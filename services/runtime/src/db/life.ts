import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../log.ts';

const LIFE_LOCK = 7_411_924;
const RECONNECT_MS = 250;
/** PostgreSQL's pings after so many seconds of silence tell it that the host is gone. */
const PING_SECONDS = 10;

/** A process as the database knows it, while it lives. */
export interface Life {
  /** Tells it from all other processes; positive, 31 bits. */
  number: number;
  stop(): Promise<void>;
}

/**
 * SQL that is true when the process of that number is dead.
 * @param number SQL of an integer
 */
export const isDead = (number: string): string => `pg_try_advisory_xact_lock_shared(${LIFE_LOCK}, ${number})`;

/**
 * Shows others on the same database that this process is alive: by an advisory lock that a connection of its own holds.
 * However the process ends, the connection ends with it, and PostgreSQL releases the lock at once. A connection that is
 * lost is made anew. Resolves once the lock is held.
 */
export async function startLife(databaseUrl: string, service: string, log: Logger): Promise<Life> {
  const stopping = new AbortController();
  const number = randomInt(1, 2 ** 31 - 1);
  const connect = () => hold(databaseUrl, service, number);
  let client = await connect();
  const running = (async () => {
    for (;;) {
      await ended(client, stopping.signal);
      if (stopping.signal.aborted) return client.end().catch(() => undefined);
      log.warn('the connection that shows this process to be alive was lost');
      client = await untilConnected(connect, stopping.signal);
    }
  })().catch(() => undefined);
  return {
    number,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function hold(databaseUrl: string, service: string, number: number): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: `${service}-life`,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (const setting of ['idle', 'interval']) {
      await client.query(`set tcp_keepalives_${setting} = ${PING_SECONDS}`);
    }
    await client.query('select pg_advisory_lock($1, $2)', [LIFE_LOCK, number]);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

function ended(client: pg.Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    client.once('end', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Rejects once it is told to stop. */
async function untilConnected(connect: () => Promise<pg.Client>, signal: AbortSignal): Promise<pg.Client> {
  for (;;) {
    await pause(RECONNECT_MS * (0.5 + Math.random()), undefined, { signal });
    const client = await connect().catch(() => undefined);
    if (client) return client;
  }
}

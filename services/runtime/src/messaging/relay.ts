import pg from 'pg';
import type { Logger } from '../log.ts';
import { type Message, type Transport, TransportClosed } from './message.ts';
import { OUTBOX_CHANNEL } from './tables.ts';

const RELAY_LOCK = 7_411_922;
const BATCH = 500;
const POLL_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;

export interface RelayOptions {
  databaseUrl: string;
  transport: Transport;
  /** Name of the service, written into `ce_source`. */
  service: string;
  log: Logger;
}

interface OutboxRow {
  position: number;
  id: string;
  topic: string;
  key: string;
  type: string;
  subject: string | null;
  value: unknown;
  traceparent: string | null;
  created_at: Date;
}

/**
 * Publishes the outbox in order and deletes what was acknowledged. One relay per database works at a time (advisory
 * lock on its own connection); others stand by. A crash between the acknowledgement and the delete repeats messages
 * and never loses one: consumers drop repeats by id.
 * @returns a function that stops after the batch under way
 */
export function startRelay(options: RelayOptions): () => Promise<void> {
  const stopping = new AbortController();
  const running = keepRelaying(options, stopping.signal);
  return async () => {
    stopping.abort();
    await running;
  };
}

async function keepRelaying(options: RelayOptions, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const client = new pg.Client({
      connectionString: options.databaseUrl,
      application_name: `${options.service}-relay`,
      keepAlive: true,
    });
    // Without a listener a lost connection would end the process; the loop below reconnects.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await relayOverConnection(client, options, signal, () => {
        failures = 0;
      });
    } catch (error) {
      if (error instanceof TransportClosed) return;
      failures += 1;
      options.log.warn({ err: error, failures }, 'outbox relay interrupted');
      await pause(Math.min(MAX_BACKOFF_MS, 100 * 2 ** failures) * (0.5 + Math.random() / 2), signal);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function relayOverConnection(
  client: pg.Client,
  options: RelayOptions,
  signal: AbortSignal,
  healthy: () => void,
): Promise<void> {
  const alarm = new Alarm();
  client.on('notification', () => alarm.ring()).on('end', () => alarm.ring());
  signal.addEventListener('abort', () => alarm.ring());
  await client.query(`listen ${OUTBOX_CHANNEL}`);
  let isLeader = false;
  while (!signal.aborted) {
    isLeader ||= (await client.query('select pg_try_advisory_lock($1) as locked', [RELAY_LOCK])).rows[0]
      .locked;
    if (isLeader) {
      while (!signal.aborted && (await publishBatch(client, options)) === BATCH);
      healthy();
    }
    await alarm.wait(POLL_MS);
  }
}

async function publishBatch(client: pg.Client, { transport, service }: RelayOptions): Promise<number> {
  const { rows } = await client.query<OutboxRow>(
    'select position, id, topic, key, type, subject, value, traceparent, created_at from outbox order by position limit $1',
    [BATCH],
  );
  if (rows.length === 0) return 0;
  await transport.publish(rows.map((row) => toMessage(row, service)));
  await client.query('delete from outbox where position = any($1)', [rows.map((row) => row.position)]);
  return rows.length;
}

const toMessage = (row: OutboxRow, service: string): Message => ({
  id: row.id,
  topic: row.topic,
  key: row.key,
  type: row.type,
  subject: row.subject,
  value: row.value,
  time: row.created_at,
  source: `/tributary/${service}`,
  traceparent: row.traceparent,
});

/** Wakes one waiter; a ring before the wait is not lost. */
class Alarm {
  #isRinging = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRinging = true;
    this.#wake?.();
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isRinging) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isRinging = false;
    this.#wake = undefined;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

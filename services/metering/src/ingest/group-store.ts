import { sqlState, type Tx } from '@tributary/runtime/db/transaction.ts';
import pg from 'pg';
import { shareCounting } from '../organization-locks.ts';
import { preparedSql, type Sql, sqlOf } from '../sql.ts';
import { grouping, type Waiting } from './grouping.ts';
import { ingestEvents, type Outcome } from './ingest-events.flow.ts';
import { Knowledge } from './knowledge.ts';
import { answerOf, eventsOf, type IngestAnswer, type IngestRequest } from './request.ts';

/** One for each group or large request that may be under way. */
const CONNECTIONS = 5;
const MAX_ATTEMPTS = 4;

/** The way into the event store. */
export interface Ingest {
  /** Stores a request's events, together with others that come at the same time; resolves once they are durable. */
  take(request: IngestRequest): Promise<IngestAnswer>;
  /** The same in a transaction of the caller's, and alone. */
  takeIn(tx: Tx, request: IngestRequest): Promise<IngestAnswer>;
  /** Closes its connections once what is under way is stored. */
  close(): Promise<void>;
}

/** Stores the requests of one thread. */
export function createGroupStore(databaseUrl: string): Ingest {
  const knowledge = new Knowledge();
  const pool = openPool(databaseUrl);
  const groups = grouping((group) => storeGroup(pool, knowledge, group));
  return {
    async take(request) {
      const events = await eventsOf(request);
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        groups.push({ events, now: request.now, resolve, reject });
      });
      return answerOf(outcome, events);
    },
    async takeIn(tx, request) {
      const events = await eventsOf(request);
      for (const organization of organizationsOf([{ events }])) await tx.query(shareCounting(organization));
      const { outcomes } = await ingestEvents(sqlOf(tx), [events], knowledge, request.now);
      return answerOf(outcomes[0]!, events);
    },
    close: () => pool.end(),
  };
}

/**
 * Connections of ingest's own, so that no other request waits for one behind it. A statement may be sent before the one
 * ahead is answered, and keeps one plan whatever its values are: planning would cost as much as a small group.
 */
function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS,
    pipeline: true,
    application_name: 'metering ingest',
    options: '-c plan_cache_mode=force_generic_plan',
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: 10_000,
  });
  // A connection that ends is replaced by the next one who needs it, and fails what it was busy with; the event, of an
  // idle one as of a busy one, would otherwise end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** SQLSTATE classes that speak of what was written, not of the server. */
const ABOUT_DATA = /^(22|23|54)/;

/** Settles every request of a group. When the data of one fails all, each is tried alone: only the guilty one fails. */
async function storeGroup(pool: pg.Pool, knowledge: Knowledge, group: readonly Waiting[]): Promise<void> {
  try {
    const outcomes = await storeTogether(pool, knowledge, group);
    for (const [place, waiting] of group.entries()) waiting.resolve(outcomes[place]!);
  } catch (error) {
    if (group.length > 1 && ABOUT_DATA.test(sqlState(error) ?? '')) {
      for (const waiting of group) await storeGroup(pool, knowledge, [waiting]);
    } else for (const waiting of group) waiting.reject(error);
  }
}

const RETRYABLE = new Set(['40001', '40P01']);

async function storeTogether(
  pool: pg.Pool,
  knowledge: Knowledge,
  group: readonly Waiting[],
): Promise<Outcome[]> {
  const requests = group.map((waiting) => waiting.events);
  const { now } = group.at(-1)!;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { outcomes, types } = await inSharedTransaction(pool, organizationsOf(group), (sql) =>
        ingestEvents(sql, requests, knowledge, now),
      );
      knowledge.remember(types);
      return outcomes;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
    }
  }
}

/** Begins and locks in the trip of the first statement. Organization ids are checked UUIDs, so they may stand in SQL. */
async function inSharedTransaction<T>(
  pool: pg.Pool,
  organizations: readonly string[],
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isLost = false;
  try {
    const begun = client.query(['begin', ...organizations.map(shareCounting)].join('; '));
    const [result] = await Promise.all([work(preparedSql(client)), begun]);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      isLost = true;
    });
    throw error;
  } finally {
    client.release(isLost);
  }
}

function organizationsOf(group: readonly Pick<Waiting, 'events'>[]): string[] {
  const ids = new Set<string>();
  for (const { events } of group) for (const event of events) ids.add(event.organization_id);
  return [...ids].sort();
}

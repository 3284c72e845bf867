import { setImmediate as breathe } from 'node:timers/promises';
import { type Database, sqlState, type Tx } from '@tributary/runtime/db/transaction.ts';
import type { ClientBase } from 'pg';
import { shareCounting } from '../organization-locks.ts';
import { preparedSql, type Sql, sqlOf } from '../sql.ts';
import type { IngestedEvent } from './event-input.ts';
import { ingestEvents, type Outcome } from './ingest-events.flow.ts';
import { Knowledge } from './knowledge.ts';

/** Bounds of one group; a larger request has a transaction to itself. */
const MAX_EVENTS = 2_000;
const MAX_REQUESTS = 256;
/** Groups under way at once, and large requests beside them. */
const MAX_GROUPS = 4;
const MAX_LARGE = 2;
/** While a group is under way, smaller ones wait for company. */
const WORTH_A_SECOND = 500;
const MAX_ATTEMPTS = 4;

/** The way into the event store. */
export interface Ingest {
  /** Stores a request's events, together with others that come at the same time; resolves once they are durable. */
  store(events: readonly IngestedEvent[], now: Date): Promise<Outcome>;
  /** The same in a transaction of the caller's, and alone. */
  storeIn(tx: Tx, events: readonly IngestedEvent[], now: Date): Promise<Outcome>;
}

interface Waiting {
  events: readonly IngestedEvent[];
  now: Date;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/**
 * Groups requests into transactions: a request that finds nothing under way is stored at once, those that come
 * meanwhile are stored together when it is done. So the wait of a request is at most the time of one group, and the
 * more of them come the less each costs. Large requests neither wait for the small ones nor hold them up.
 */
export function createIngest(db: Database): Ingest {
  const knowledge = new Knowledge();
  const small = queue(
    ({ underWay, events }) => underWay === 0 || (underWay < MAX_GROUPS && events >= WORTH_A_SECOND),
    (group) => storeGroup(db, knowledge, group),
  );
  const large = queue(
    ({ underWay }) => underWay < MAX_LARGE,
    (group) => storeGroup(db, knowledge, group),
  );
  return {
    store: (events, now) =>
      new Promise((resolve, reject) => {
        (events.length > MAX_EVENTS ? large : small).push({ events, now, resolve, reject });
      }),
    async storeIn(tx, events, now) {
      for (const organization of organizationsOf([{ events }])) await tx.query(shareCounting(organization));
      const { outcomes } = await ingestEvents(sqlOf(tx), [events], knowledge, now);
      return outcomes[0]!;
    },
  };
}

/** A line of requests from which groups are taken while `mayStart` lets another one begin. */
function queue(
  mayStart: (state: { underWay: number; events: number }) => boolean,
  settle: (group: Waiting[]) => Promise<void>,
): { push(waiting: Waiting): void } {
  let waiting: Waiting[] = [];
  let events = 0;
  let underWay = 0;
  let isStarting = false;

  function start(): void {
    while (waiting.length > 0 && mayStart({ underWay, events })) {
      const group = take();
      underWay += 1;
      void settle(group).finally(() => {
        underWay -= 1;
        start();
      });
    }
  }

  function take(): Waiting[] {
    let size = 0;
    let count = 0;
    while (count < waiting.length && count < MAX_REQUESTS) {
      const next = waiting[count]!.events.length;
      if (count > 0 && size + next > MAX_EVENTS) break;
      size += next;
      count += 1;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    events -= size;
    return group;
  }

  return {
    push(one) {
      waiting.push(one);
      events += one.events.length;
      if (isStarting) return;
      isStarting = true;
      // Requests that the same turn of the event loop brings are taken together.
      void breathe().then(() => {
        isStarting = false;
        start();
      });
    },
  };
}

/** SQLSTATE classes that speak of what was written, not of the server. */
const ABOUT_DATA = /^(22|23|54)/;

/** Settles every request of a group. When the data of one fails all, each is tried alone: only the guilty one fails. */
async function storeGroup(db: Database, knowledge: Knowledge, group: readonly Waiting[]): Promise<void> {
  try {
    const outcomes = await storeTogether(db, knowledge, group);
    for (const [place, waiting] of group.entries()) waiting.resolve(outcomes[place]!);
  } catch (error) {
    if (group.length > 1 && ABOUT_DATA.test(sqlState(error) ?? '')) {
      for (const waiting of group) await storeGroup(db, knowledge, [waiting]);
    } else for (const waiting of group) waiting.reject(error);
  }
}

const RETRYABLE = new Set(['40001', '40P01']);

async function storeTogether(
  db: Database,
  knowledge: Knowledge,
  group: readonly Waiting[],
): Promise<Outcome[]> {
  const runner = db.createQueryRunner();
  try {
    const client = (await runner.connect()) as ClientBase;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const requests = group.map((waiting) => waiting.events);
        const { outcomes, types } = await inBareTransaction(client, group, (sql) =>
          ingestEvents(sql, requests, knowledge, group.at(-1)!.now),
        );
        knowledge.remember(types);
        return outcomes;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      }
    }
  } finally {
    await runner.release();
  }
}

/** Begins and locks in one trip to the server. Organization ids are checked UUIDs, so they may stand in the text. */
async function inBareTransaction<T>(
  client: ClientBase,
  group: readonly Waiting[],
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  try {
    await client.query(['begin', ...organizationsOf(group).map(shareCounting)].join('; '));
    const result = await work(preparedSql(client));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

function organizationsOf(group: readonly Pick<Waiting, 'events'>[]): string[] {
  const ids = new Set<string>();
  for (const { events } of group) for (const event of events) ids.add(event.organization_id);
  return [...ids].sort();
}

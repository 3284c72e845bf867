import { sqlState, type Tx } from '@tributary/runtime/db/transaction.ts';
import type pg from 'pg';
import { shareCountingSql } from '../organization-locks.ts';
import { sqlOf } from '../sql.ts';
import type { Outcome } from './accept.ts';
import type { IngestedEvent } from './event-input.ts';
import { grouping, type Waiting } from './grouping.ts';
import { ingestEvents } from './ingest-events.flow.ts';
import { Knowledge } from './knowledge.ts';
import { planOneTrip } from './one-trip.flow.ts';
import { answerOf, eventsOf, type IngestAnswer, type IngestRequest } from './request.ts';
import { inOneTrip, inSharedTransaction, openPool } from './transactions-store.ts';

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
  const store = groupStore(pool, knowledge);
  const groups = grouping((group) => settle(store, group));
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
      await tx.query(shareCountingSql('$1'), [organizationsOf([events])]);
      const { outcomes } = await ingestEvents(sqlOf(tx), [events], knowledge, request.now);
      return answerOf(outcomes[0]!, events);
    },
    close: () => pool.end(),
  };
}

type Store = (group: readonly Waiting[]) => Promise<Outcome[]>;

/** SQLSTATE classes that speak of what was written, not of the server. */
const ABOUT_DATA = /^(22|23|54)/;

/** Settles every request of a group. When the data of one fails all, each is tried alone: only the guilty one fails. */
async function settle(store: Store, group: readonly Waiting[]): Promise<void> {
  try {
    const outcomes = await store(group);
    for (const [place, waiting] of group.entries()) waiting.resolve(outcomes[place]!);
  } catch (error) {
    if (group.length > 1 && ABOUT_DATA.test(sqlState(error) ?? '')) {
      for (const waiting of group) await settle(store, [waiting]);
    } else for (const waiting of group) waiting.reject(error);
  }
}

/**
 * Groups that are stored in several steps after one was refused: who repeats an event often repeats others, and each
 * that is refused is written twice.
 */
const IN_STEPS_AFTER_REFUSAL = 20;

/** Stores a group in one trip if it can, else in several steps. */
function groupStore(pool: pg.Pool, knowledge: Knowledge): Store {
  let inSteps = 0;
  return async (group) => {
    const requests = group.map((waiting) => waiting.events);
    const { now } = group.at(-1)!;
    const trip = inSteps > 0 ? undefined : await planOneTrip(requests, knowledge, now);
    if (trip && (await inOneTrip(pool, trip.organizations, trip.statement, trip.sendBefore)))
      return trip.outcomes;
    inSteps = trip ? IN_STEPS_AFTER_REFUSAL : Math.max(0, inSteps - 1);
    return storeInSteps(pool, knowledge, requests, now);
  };
}

const MAX_ATTEMPTS = 4;
const RETRYABLE = new Set(['40001', '40P01']);

async function storeInSteps(
  pool: pg.Pool,
  knowledge: Knowledge,
  requests: readonly (readonly IngestedEvent[])[],
  now: Date,
): Promise<Outcome[]> {
  const organizations = organizationsOf(requests);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { outcomes, types, around } = await inSharedTransaction(pool, organizations, (sql) =>
        ingestEvents(sql, requests, knowledge, now),
      );
      knowledge.remember(types);
      knowledge.surroundings.keep(around);
      return outcomes;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
    }
  }
}

function organizationsOf(requests: readonly (readonly IngestedEvent[])[]): string[] {
  const ids = new Set<string>();
  for (const events of requests) for (const event of events) ids.add(event.organization_id);
  return [...ids].sort();
}

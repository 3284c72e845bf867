import { isPlain, MAX_USAGES } from '../customer-meters/usage-store.ts';
import { accept, type Outcome, wantedBy } from './accept.ts';
import { countsOf } from './counts.ts';
import type { IngestedEvent } from './event-input.ts';
import { CHUNK } from './ingest-events.flow.ts';
import type { Knowledge } from './knowledge.ts';
import { oneTripStatement } from './one-trip-store.ts';
import { receiptsOf } from './receipts.ts';
import type { Surroundings } from './surroundings-store.ts';
import type { Execution } from './trip-store.ts';

/** A statement that stores some requests' events, for a transaction that shares the organizations' counting. */
export interface OneTrip {
  organizations: readonly string[];
  statement: Execution;
  /**
   * Events must be stored soon after they got their ids (`first-events`, which looks for them by id): after this moment
   * they get others. Milliseconds since the epoch.
   */
  sendBefore: number;
  /** What became of the requests, once the statement is committed. */
  outcomes: Outcome[];
}

const MAX_DELAY_MS = 5_000;

/**
 * How to store several requests' events in one trip to the database, where that is all it takes: whatever they name is
 * remembered, none has a parent or is of a new name, none of their meters is `unique`. The database compares what was
 * remembered, and refuses all of it if something has changed, is a repeat, or older than a reset.
 * @returns undefined where it takes several steps (`ingestEvents`)
 */
export async function planOneTrip(
  requests: readonly (readonly IngestedEvent[])[],
  knowledge: Knowledge,
  now: Date,
): Promise<OneTrip | undefined> {
  const around = knowledge.surroundings.recall(await wantedBy(requests));
  if (!around || around.organizations.some((organization) => organization.has_pending)) return undefined;
  const sendBefore = Date.now() + MAX_DELAY_MS;
  const { accepted, outcomes } = await accept(requests, around);
  if (accepted.length === 0 || accepted.length > CHUNK || accepted.some((event) => event.parent_id !== null))
    return undefined;
  if (outcomes.some((outcome) => 'unknown' in outcome)) return undefined;
  const counts = await plainCounts(accepted, around, knowledge);
  if (!counts) return undefined;
  const receipts = receiptsOf(accepted, NO_REPEATS);
  return {
    organizations: around.organizations.map((organization) => organization.organization_id).sort(),
    statement: await oneTripStatement(accepted, { ...counts, receipts }, around, now),
    sendBefore,
    outcomes,
  };
}

const NO_REPEATS: ReadonlySet<number> = new Set();

async function plainCounts(accepted: readonly IngestedEvent[], around: Surroundings, knowledge: Knowledge) {
  const meters = knowledge.metersOf(around.organizations);
  if (meters.size < around.organizations.length) return undefined;
  const counts = await countsOf(accepted, meters);
  const { usages, tallies } = counts;
  if (usages.length > MAX_USAGES || !usages.every(isPlain)) return undefined;
  return knowledge.newTypes(tallies).length === 0 ? counts : undefined;
}

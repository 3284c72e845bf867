import { applyRest, applyUsage, isPlain, MAX_USAGES } from '../customer-meters/usage-store.ts';
import type { Tally } from '../event-types/tallies.ts';
import { addTallies, insertEventTypes } from '../event-types/tally-store.ts';
import { liveMeters } from '../meters/store.ts';
import type { Sql } from '../sql.ts';
import { accept, type Outcome, wantedBy } from './accept.ts';
import { countsOf, type Meters } from './counts.ts';
import type { IngestedEvent } from './event-input.ts';
import type { Knowledge } from './knowledge.ts';
import { awaitParents, findParents, welcomeParents } from './parents-store.ts';
import { receiptsOf } from './receipts.ts';
import { addReceipts, insertEvents, storeAndCount } from './store.ts';
import { readSurroundings, type Surroundings } from './surroundings-store.ts';
import { inSlices } from './turns.ts';

/** Events written by one statement: about 10 ms of work for the database. */
export const CHUNK = 2_000;

export interface Ingested {
  /** In the order of the requests. */
  outcomes: Outcome[];
  /** Event types made on the way; to be remembered once the transaction has committed. */
  types: { organization_id: string; name: string }[];
  /** What was found there, for the same. */
  around: Surroundings;
}

/**
 * Stores several requests' events, in the caller's transaction, whose organizations are shared (`shareCounting`).
 * Repeats are dropped, meters brought up to date: all of it holds when the transaction commits. A request with unknown
 * customers is left out and harms no other.
 */
export async function ingestEvents(
  sql: Sql,
  requests: readonly (readonly IngestedEvent[])[],
  knowledge: Knowledge,
  now: Date,
): Promise<Ingested> {
  const around = await readSurroundings(sql, await wantedBy(requests));
  const { accepted, outcomes } = await accept(requests, around);
  const meters = await metersOf(sql, around.organizations, knowledge);
  const pending = await findParents(sql, accepted);
  const { repeats, tallies } =
    accepted.length <= CHUNK
      ? await storeTogether(sql, accepted, meters, now)
      : await storeInChunks(sql, accepted, meters, now);
  await linkParents(sql, accepted, pending, repeats, around.organizations, now);
  const types = knowledge.newTypes(tallies);
  await insertEventTypes(sql, types, now);
  countRepeats(outcomes, repeats);
  return { outcomes, types, around };
}

/** The organizations' live meters; those that changed since the last time are read and compiled anew. */
async function metersOf(
  sql: Sql,
  organizations: Surroundings['organizations'],
  knowledge: Knowledge,
): Promise<Meters> {
  const meters = knowledge.metersOf(organizations);
  const stale = organizations.filter(({ organization_id }) => !meters.has(organization_id));
  if (stale.length === 0) return meters;
  const ids = stale.filter(({ meters_version }) => meters_version > 0).map((one) => one.organization_id);
  const rows = ids.length === 0 ? [] : await liveMeters(sql, ids);
  const byOrganization = Map.groupBy(rows, (meter) => meter.organization_id);
  for (const version of stale) {
    const own = byOrganization.get(version.organization_id) ?? [];
    meters.set(version.organization_id, knowledge.learn(version, own));
  }
  return meters;
}

interface Stored {
  /** Places among the accepted events. */
  repeats: ReadonlySet<number>;
  tallies: Tally[];
}

/** One statement for everything, unless some of it is a repeat, older than a reset, or for a `unique` meter. */
async function storeTogether(
  sql: Sql,
  events: readonly IngestedEvent[],
  meters: Meters,
  now: Date,
): Promise<Stored> {
  if (events.length === 0) return { repeats: new Set(), tallies: [] };
  const counts = await countsOf(events, meters);
  if (counts.usages.length > MAX_USAGES) return storeInChunks(sql, events, meters, now);
  const plain = {
    ...counts,
    usages: counts.usages.filter(isPlain),
    receipts: receiptsOf(events, new Set()),
  };
  const stored = await storeAndCount(sql, events, plain, now);
  const repeats = new Set(stored.repeats);
  if (repeats.size > 0) return countRest(sql, events, repeats, meters, now);
  await applyRest(sql, counts.usages, stored.touched, now);
  return { repeats, tallies: counts.tallies };
}

/** More than a statement should hold is stored chunk by chunk and counted afterwards. */
async function storeInChunks(
  sql: Sql,
  events: readonly IngestedEvent[],
  meters: Meters,
  now: Date,
): Promise<Stored> {
  const repeats = new Set<number>();
  await inSlices(events, CHUNK, async (chunk, start) => {
    for (const place of await insertEvents(sql, chunk)) repeats.add(start + place);
  });
  return countRest(sql, events, repeats, meters, now);
}

async function countRest(
  sql: Sql,
  events: readonly IngestedEvent[],
  repeats: ReadonlySet<number>,
  meters: Meters,
  now: Date,
): Promise<Stored> {
  const stored = events.filter((_, place) => !repeats.has(place));
  const { usages, tallies } = await countsOf(stored, meters);
  await applyUsage(sql, usages, now);
  await addTallies(sql, tallies);
  await addReceipts(sql, receiptsOf(events, repeats));
  return { repeats, tallies };
}

/**
 * Children whose parent came in the same batch and was dropped as a repeat (somebody else stored it in the meantime)
 * look for it again; the others that found none wait for it.
 */
async function linkParents(
  sql: Sql,
  accepted: readonly IngestedEvent[],
  pending: readonly IngestedEvent[],
  repeats: ReadonlySet<number>,
  organizations: readonly { organization_id: string; has_pending: boolean }[],
  now: Date,
): Promise<void> {
  const stored = repeats.size === 0 ? accepted : accepted.filter((_, place) => !repeats.has(place));
  const dropped = new Set([...repeats].map((place) => accepted[place]!.id));
  const waiting = pending.filter((event) => !dropped.has(event.id));
  const misled = stored.filter((event) => event.parent !== null && dropped.has(event.parent));
  await awaitParents(sql, [...waiting, ...misled], now);
  const expecting = new Set(
    organizations.filter((organization) => organization.has_pending).map((one) => one.organization_id),
  );
  const arrived = stored.filter((event) => expecting.has(event.organization_id));
  const parents = accepted.filter(
    (event) => dropped.has(event.id) && misled.some((child) => child.parent === event.id),
  );
  await welcomeParents(sql, [...arrived, ...parents]);
}

/** Places run through the accepted requests in order. */
function countRepeats(outcomes: readonly Outcome[], repeats: ReadonlySet<number>): void {
  let start = 0;
  for (const outcome of outcomes) {
    if ('unknown' in outcome) continue;
    const size = outcome.inserted;
    for (let place = start; place < start + size; place += 1) if (repeats.has(place)) outcome.duplicates += 1;
    outcome.inserted = size - outcome.duplicates;
    start += size;
  }
}

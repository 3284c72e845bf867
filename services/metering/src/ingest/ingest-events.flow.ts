import { newId } from '@tributary/proto/id.ts';
import { UsageByMeter } from '../customer-meters/usage.ts';
import { applyRest, applyUsage, isPlain, MAX_USAGES } from '../customer-meters/usage-store.ts';
import { Tallies, type Tally } from '../event-types/tallies.ts';
import { addTallies, insertEventTypes } from '../event-types/tally-store.ts';
import { liveMeters } from '../meters/store.ts';
import type { Sql } from '../sql.ts';
import type { IngestedEvent } from './event-input.ts';
import type { Knowledge, Lookup } from './knowledge.ts';
import { awaitParents, findParents, welcomeParents } from './parents-store.ts';
import { receiptsOf } from './receipts.ts';
import { addReceipts, insertEvents, readSurroundings, type Surroundings, storeAndCount } from './store.ts';
import { inSlices } from './turns.ts';

/** Events written by one statement: about 10 ms of work for the database. */
const CHUNK = 2_000;
/** Events that this process looks at between two breaths. */
const SLICE = 256;

/** An event that names a customer or member who is not here. */
export interface Unknown {
  /** Place in its request. */
  index: number;
  field: 'customer_id' | 'member_id';
}

/** What became of one request. */
export type Outcome =
  | { inserted: number; duplicates: number }
  /** Nothing of it was stored. */
  | { unknown: Unknown[] };

export interface Ingested {
  /** In the order of the requests. */
  outcomes: Outcome[];
  /** Event types made on the way; to be remembered once the transaction has committed. */
  types: { organization_id: string; name: string }[];
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
  return { outcomes, types };
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

async function wantedBy(requests: readonly (readonly IngestedEvent[])[]) {
  const organizations = new Set<string>();
  const customers = new Set<string>();
  const members = new Set<string>();
  const external = new Map<string, { organization_id: string; external_id: string }>();
  const want = ({ organization_id, customer_id, member_id, external_customer_id }: IngestedEvent) => {
    organizations.add(organization_id);
    if (external_customer_id === null && customer_id !== null) customers.add(customer_id);
    if (member_id !== null) members.add(member_id);
    if (external_customer_id !== null) {
      external.set(`${organization_id} ${external_customer_id}`, {
        organization_id,
        external_id: external_customer_id,
      });
    }
  };
  for (const request of requests) await inSlices(request, SLICE, (events) => events.forEach(want));
  return {
    organizations: [...organizations],
    customers: [...customers],
    members: [...members],
    external: [...external.values()],
  };
}

/** Takes what names no strangers, and gives it ids. */
async function accept(
  requests: readonly (readonly IngestedEvent[])[],
  around: Surroundings,
): Promise<{ accepted: IngestedEvent[]; outcomes: Outcome[] }> {
  const customers = new Map(around.customers.map((customer) => [customer.id, customer.organization_id]));
  const members = new Map(around.members.map((member) => [member.id, member.customer_id]));
  const named = new Map(
    around.external.map((row) => [`${row.organization_id} ${row.external_id}`, row.customer_id]),
  );
  const earliest = Math.max(Date.now(), ...around.organizations.map((one) => one.ids_after_ms + 1));
  const accepted: IngestedEvent[] = [];
  const outcomes: Outcome[] = [];
  for (const request of requests) {
    const unknown: Unknown[] = [];
    await inSlices(request, SLICE, (events, start) => {
      for (const [place, event] of events.entries()) {
        const field = unknownIn(event, customers, members);
        if (field !== undefined) unknown.push({ index: start + place, field });
      }
    });
    outcomes.push(unknown.length > 0 ? { unknown } : { inserted: request.length, duplicates: 0 });
    if (unknown.length > 0) continue;
    await inSlices(request, SLICE, (events) => {
      for (const event of events) {
        place(event, named, earliest);
        accepted.push(event);
      }
    });
  }
  return { accepted, outcomes };
}

function unknownIn(
  event: IngestedEvent,
  customers: ReadonlyMap<string, string>,
  members: ReadonlyMap<string, string>,
): Unknown['field'] | undefined {
  if (event.external_customer_id !== null || event.customer_id === null) return undefined;
  if (customers.get(event.customer_id) !== event.organization_id) return 'customer_id';
  if (event.member_id === null || members.get(event.member_id) === event.customer_id) return undefined;
  return 'member_id';
}

/** Gives an event its id and, by the external id, its customer. A second try of the request does the same anew. */
function place(event: IngestedEvent, named: ReadonlyMap<string, string>, earliest: number): void {
  const { organization_id, external_customer_id } = event;
  event.id = newId(earliest);
  event.parent = null;
  if (external_customer_id === null) return;
  event.customer_id = named.get(`${organization_id} ${external_customer_id}`) ?? null;
}

type Meters = Map<string, Lookup>;
interface Stored {
  /** Places among the accepted events. */
  repeats: ReadonlySet<number>;
  tallies: Tally[];
}

/** Holds events against the meters. */
async function countsOf(events: readonly IngestedEvent[], meters: Meters) {
  const usage = new UsageByMeter();
  const tallies = new Tallies();
  await inSlices(events, SLICE, (slice) => {
    for (const event of slice) {
      usage.add(event, meters.get(event.organization_id)?.(event.name) ?? []);
      tallies.add(event);
    }
  });
  return { usages: usage.inLockOrder(), tallies: tallies.all() };
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

import { setImmediate as breathe } from 'node:timers/promises';
import { newId } from '@tributary/proto/id.ts';
import { UsageByMeter } from '../customer-meters/usage.ts';
import { applyUsage } from '../customer-meters/usage-store.ts';
import type { Sql } from '../sql.ts';
import type { IngestedEvent } from './event-input.ts';
import type { Knowledge, Lookup } from './knowledge.ts';
import { awaitParents, findParents, welcomeParents } from './parents-store.ts';
import { addTallies, insertEvents, insertEventTypes, readSurroundings, type Tally } from './store.ts';

/** Events written by one statement: about 10 ms of work for the database and 5 ms for this process. */
const CHUNK = 2_000;

/** What became of one request. */
export type Outcome =
  | { inserted: number; duplicates: number }
  /** Nothing of it was stored: these events name customers or members that are not here. */
  | { unknown: { index: number; field: 'customer_id' | 'member_id' }[] };

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
  const events = requests.flat();
  const around = await readSurroundings(sql, wantedBy(events));
  const customers = new Map(around.customers.map((customer) => [customer.id, customer.organization_id]));
  const members = new Map(around.members.map((member) => [member.id, member.customer_id]));
  const named = new Map(
    around.external.map((row) => [`${row.organization_id} ${row.external_id}`, row.customer_id]),
  );
  const earliest = Math.max(Date.now(), ...around.organizations.map((one) => one.ids_after_ms + 1));
  const accepted: IngestedEvent[] = [];
  const outcomes = requests.map((request): Outcome => {
    const unknown = request.flatMap((event, index) => unknownIn(event, index, customers, members));
    if (unknown.length > 0) return { unknown };
    for (const event of request) {
      place(event, named, earliest);
      accepted.push(event);
    }
    return { inserted: request.length, duplicates: 0 };
  });
  const meters = await knowledge.metersOf(sql, around.organizations);
  const pending = await findParents(sql, accepted);
  const { repeats, usage } = await insertAll(sql, accepted, meters);
  const stored = repeats.size === 0 ? accepted : accepted.filter((_, place) => !repeats.has(place));
  await linkParents(sql, accepted, stored, pending, repeats, around.organizations, now);
  await applyUsage(sql, usage.inLockOrder(), now);
  const tallies = talliesOf(stored);
  const types = knowledge.newTypes(tallies);
  await insertEventTypes(sql, types, now);
  await addTallies(sql, tallies);
  countRepeats(outcomes, repeats);
  return { outcomes, types };
}

function wantedBy(events: readonly IngestedEvent[]) {
  const organizations = new Set<string>();
  const customers = new Set<string>();
  const members = new Set<string>();
  const external = new Map<string, { organization_id: string; external_id: string }>();
  for (const { organization_id, customer_id, member_id, external_customer_id } of events) {
    organizations.add(organization_id);
    if (external_customer_id === null && customer_id !== null) customers.add(customer_id);
    if (member_id !== null) members.add(member_id);
    if (external_customer_id !== null) {
      external.set(`${organization_id} ${external_customer_id}`, {
        organization_id,
        external_id: external_customer_id,
      });
    }
  }
  return {
    organizations: [...organizations],
    customers: [...customers],
    members: [...members],
    external: [...external.values()],
  };
}

function unknownIn(
  event: IngestedEvent,
  index: number,
  customers: ReadonlyMap<string, string>,
  members: ReadonlyMap<string, string>,
): { index: number; field: 'customer_id' | 'member_id' }[] {
  if (event.external_customer_id !== null || event.customer_id === null) return [];
  if (customers.get(event.customer_id) !== event.organization_id) return [{ index, field: 'customer_id' }];
  if (event.member_id === null || members.get(event.member_id) === event.customer_id) return [];
  return [{ index, field: 'member_id' }];
}

/** Gives an event its id and, by the external id, its customer. A second try of the request does the same anew. */
function place(event: IngestedEvent, named: ReadonlyMap<string, string>, earliest: number): void {
  const { organization_id, external_customer_id } = event;
  event.id = newId(earliest);
  event.parent = null;
  if (external_customer_id === null) return;
  event.customer_id = named.get(`${organization_id} ${external_customer_id}`) ?? null;
}

/** Writes chunk by chunk and holds what was stored against the meters, with a breath between two chunks. */
async function insertAll(
  sql: Sql,
  events: readonly IngestedEvent[],
  meters: ReadonlyMap<string, Lookup>,
): Promise<{ repeats: Set<number>; usage: UsageByMeter }> {
  const repeats = new Set<number>();
  const usage = new UsageByMeter();
  for (let start = 0; start < events.length; start += CHUNK) {
    if (start > 0) await breathe();
    const chunk = events.slice(start, start + CHUNK);
    for (const place of await insertEvents(sql, chunk)) repeats.add(start + place);
    for (const [place, event] of chunk.entries()) {
      if (repeats.has(start + place)) continue;
      usage.add(event, meters.get(event.organization_id)?.(event.name) ?? []);
    }
  }
  return { repeats, usage };
}

/**
 * Children whose parent came in the same batch and was dropped as a repeat (somebody else stored it in the meantime)
 * look for it again; the others that found none wait for it.
 */
async function linkParents(
  sql: Sql,
  accepted: readonly IngestedEvent[],
  stored: readonly IngestedEvent[],
  pending: readonly IngestedEvent[],
  repeats: ReadonlySet<number>,
  organizations: readonly { organization_id: string; has_pending: boolean }[],
  now: Date,
): Promise<void> {
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

/** A name on the way to its tally; times in milliseconds. */
interface Seen {
  organization_id: string;
  name: string;
  count: number;
  first: number;
  last: number;
}

function talliesOf(events: readonly IngestedEvent[]): Tally[] {
  const tallies = new Map<string, Seen>();
  let tally: Seen | undefined;
  for (const { organization_id, name, timestamp } of events) {
    // Neighbours mostly bear the same name.
    if (tally?.name !== name || tally.organization_id !== organization_id) {
      const key = organization_id + name;
      tally = tallies.get(key);
      if (!tally) {
        tally = { organization_id, name, count: 0, first: timestamp, last: timestamp };
        tallies.set(key, tally);
      }
    }
    tally.count += 1;
    if (timestamp < tally.first) tally.first = timestamp;
    if (timestamp > tally.last) tally.last = timestamp;
  }
  return [...tallies.values()].map(({ organization_id, name, count, first, last }) => ({
    organization_id,
    source: 'user',
    name,
    occurrences: count,
    first_seen: new Date(first),
    last_seen: new Date(last),
  }));
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

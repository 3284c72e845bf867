import { newId } from '@tributary/proto/id.ts';
import type { Sql } from '../sql.ts';
import type { IngestedEvent } from './event-input.ts';

/** What an ingest must know of its organizations and customers, as it is until the transaction ends. */
export interface Surroundings {
  organizations: {
    organization_id: string;
    meters_version: number;
    ids_after_ms: number;
    has_pending: boolean;
  }[];
  /** Customers asked for by id that exist. */
  customers: { id: string; organization_id: string }[];
  members: { id: string; customer_id: string }[];
  /** Customers that external ids mean now. */
  external: { organization_id: string; external_id: string; customer_id: string }[];
}

const SURROUNDINGS = `
  select
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'organization_id', wanted.id,
        'meters_version', coalesce(organization.meters_version, 0),
        'ids_after_ms', coalesce(organization.ids_after_ms, 0),
        'has_pending', exists (select from pending_parents where organization_id = wanted.id)))
      from unnest($1::uuid[]) as wanted(id)
      left join metered_organizations organization on organization.organization_id = wanted.id
    ), '[]') as organizations,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', customer.id, 'organization_id', customer.organization_id))
      from customers_replica customer
      where customer.id = any($2::uuid[]) and customer.value is not null and customer.value ->> 'deleted_at' is null
    ), '[]') as customers,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', member.id, 'customer_id', member.value ->> 'customer_id'))
      from members_replica member
      where member.id = any($3::uuid[]) and member.value is not null
    ), '[]') as members,
    coalesce((
      select jsonb_agg(to_jsonb(named) - 'is_current')
      from unnest($4::uuid[], $5::text[]) as wanted(organization_id, external_id)
      join customer_external_ids named using (organization_id, external_id)
      where named.is_current
    ), '[]') as external`;

export async function readSurroundings(
  sql: Sql,
  wanted: {
    organizations: readonly string[];
    customers: readonly string[];
    members: readonly string[];
    external: readonly { organization_id: string; external_id: string }[];
  },
): Promise<Surroundings> {
  const [found] = await sql.query<Surroundings>('surroundings', SURROUNDINGS, [
    wanted.organizations,
    wanted.customers,
    wanted.members,
    wanted.external.map((pair) => pair.organization_id),
    wanted.external.map((pair) => pair.external_id),
  ]);
  return found!;
}

/**
 * One statement stores a batch and drops repeats: an `external_id` is claimed first, in the order of the ids so that
 * two batches never wait for each other in a circle, and only claimed events are stored.
 */
const INSERT_EVENTS = `
  with incoming as materialized (
    select * from jsonb_to_recordset($1::jsonb) as event(
      i uuid, o uuid, c uuid, mi uuid, p uuid, t timestamptz, n text, xc text, xm text, x text, m jsonb, at integer)
  ), claimed as (
    insert into event_external_ids (organization_id, external_id, event_id)
    select o, x, i from incoming where x is not null order by o, x, at
    on conflict do nothing
    returning event_id
  ), stored as (
    insert into events (id, organization_id, customer_id, member_id, parent_id, timestamp, source, name,
      external_customer_id, external_member_id, metadata)
    select i, o, c, mi, p, t, 'user', n, xc, xm, m
    from incoming where x is null or i in (select event_id from claimed)
  )
  select at from incoming where x is not null and i not in (select event_id from claimed)`;

/** Stores events; returns the places of those that were dropped as repeats. */
export async function insertEvents(sql: Sql, events: readonly IngestedEvent[]): Promise<number[]> {
  const repeats = await sql.query<{ at: number }>('insert-events', INSERT_EVENTS, [
    `[${events.map(rowText).join(',')}]`,
  ]);
  return repeats.map((repeat) => repeat.at);
}

/** The event as JSON, written by hand where nothing needs escaping. */
function rowText(event: IngestedEvent, at: number): string {
  const { id, organization_id, customer_id, member_id, parent, external_customer_id } = event;
  return `{"i":"${id}","o":"${organization_id}","at":${at},"t":"${new Date(event.timestamp).toISOString()}"${
    customer_id === null ? '' : `,"c":"${customer_id}"`
  }${member_id === null ? '' : `,"mi":"${member_id}"`}${parent === null ? '' : `,"p":"${parent}"`}${
    external_customer_id === null ? '' : `,"xc":${JSON.stringify(external_customer_id)}`
  }${event.external_member_id === null ? '' : `,"xm":${JSON.stringify(event.external_member_id)}`}${
    event.external_id === null ? '' : `,"x":${JSON.stringify(event.external_id)}`
  },"n":${JSON.stringify(event.name)},"m":${JSON.stringify(event.metadata)}}`;
}

/** How often a name was seen, and when. */
export interface Tally {
  organization_id: string;
  source: 'user' | 'system';
  name: string;
  occurrences: number;
  first_seen: Date;
  last_seen: Date;
}

const SHARDS = 16;

const ADD_TALLIES = `
  insert into event_tallies as tally (organization_id, source, name, shard, occurrences, first_seen, last_seen)
  select organization_id, source, name, $7, occurrences, first_seen, last_seen
  from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::timestamptz[])
    as added(organization_id, source, name, occurrences, first_seen, last_seen)
  order by organization_id, source, name
  on conflict (organization_id, source, name, shard) do update
    set occurrences = tally.occurrences + excluded.occurrences,
        first_seen = least(tally.first_seen, excluded.first_seen),
        last_seen = greatest(tally.last_seen, excluded.last_seen)`;

export async function addTallies(sql: Sql, tallies: readonly Tally[]): Promise<void> {
  if (tallies.length === 0) return;
  await sql.query('add-tallies', ADD_TALLIES, [
    tallies.map((tally) => tally.organization_id),
    tallies.map((tally) => tally.source),
    tallies.map((tally) => tally.name),
    tallies.map((tally) => tally.occurrences),
    tallies.map((tally) => tally.first_seen),
    tallies.map((tally) => tally.last_seen),
    Math.floor(Math.random() * SHARDS),
  ]);
}

const INSERT_EVENT_TYPES = `
  insert into event_types (id, organization_id, name, label, created_at)
  select id, organization_id, name, name, $4
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as new(id, organization_id, name)
  order by organization_id, name
  on conflict (organization_id, name) do nothing`;

/** The first sight of a name makes an event type (domain rules 8.1). */
export async function insertEventTypes(
  sql: Sql,
  names: readonly { organization_id: string; name: string }[],
  now: Date,
): Promise<void> {
  if (names.length === 0) return;
  await sql.query('insert-event-types', INSERT_EVENT_TYPES, [
    names.map(() => newId()),
    names.map((type) => type.organization_id),
    names.map((type) => type.name),
    now,
  ]);
}

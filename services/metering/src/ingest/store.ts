import type { Usage } from '../customer-meters/usage.ts';
import { addedRows, addToCurrentSql } from '../customer-meters/usage-sql.ts';
import { addTalliesSql, anyShard, type Tally, tallyRows } from '../event-types/tallies.ts';
import { instantText } from '../events/instant.ts';
import type { Sql } from '../sql.ts';
import type { IngestedEvent } from './event-input.ts';
import { addReceiptsSql, type Receipt } from './receipts.ts';
import { inSlices } from './turns.ts';

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
 * SQL that stores events and drops repeats: an `external_id` is claimed first, in the order of the ids so that two
 * batches never wait for each other in a circle, and only claimed events are stored. The places of the others in the
 * batch are in `repeated`.
 */
const STORE = `
  incoming as materialized (
    select * from jsonb_to_recordset($1::jsonb) as event(
      i uuid, o uuid, c uuid, mi uuid, p uuid, t timestamptz, n text, xc text, xm text, x text, m jsonb, at integer)
  ), claimed as (
    insert into event_external_ids (organization_id, external_id, event_id)
    select o, x, i from incoming where x is not null order by o, x, at
    on conflict do nothing
    returning event_id
  ), repeated as materialized (
    select at from incoming where x is not null and i not in (select event_id from claimed)
  ), stored as (
    insert into events (id, organization_id, customer_id, member_id, parent_id, timestamp, source, name,
      external_customer_id, external_member_id, metadata)
    select i, o, c, mi, p, t, 'user', n, xc, xm, m
    from incoming where x is null or i in (select event_id from claimed)
  )`;

const INSERT_EVENTS = `with ${STORE} select at from repeated`;

/** Stores events; returns the places of those that were dropped as repeats. */
export async function insertEvents(sql: Sql, events: readonly IngestedEvent[]): Promise<number[]> {
  const repeats = await sql.query<{ at: number }>('insert-events', INSERT_EVENTS, [await rowsText(events)]);
  return repeats.map((repeat) => repeat.at);
}

const NONE_REPEATED = 'not exists (select from repeated)';

const STORE_AND_COUNT = `
  with ${STORE}, ${addToCurrentSql('$2', '$3', NONE_REPEATED)}, tallied as (
    ${addTalliesSql('$4', '$5', `${NONE_REPEATED} and (select count(*) from touched) >= 0`)}
    returning 1
  ), receipted as (
    ${addReceiptsSql('$6', '$5', `${NONE_REPEATED} and (select count(*) from tallied) >= 0`)}
  )
  select array(select at from repeated) as repeats, (select count(*)::integer from touched) as touched`;

/** What a batch comes to for meters and names, if all of it is stored. */
export interface Counts {
  usages: readonly Usage[];
  tallies: readonly Tally[];
  receipts: readonly Receipt[];
}

/**
 * Stores events and adds what they come to, in one statement. When some of them are repeats nothing is added: what the
 * others come to is for the caller to find out.
 * @returns places of the repeats, and how many of the usages could be added (see `addToCurrentSql`)
 */
export async function storeAndCount(
  sql: Sql,
  events: readonly IngestedEvent[],
  { usages, tallies, receipts }: Counts,
  now: Date,
): Promise<{ repeats: number[]; touched: number }> {
  const [stored] = await sql.query<{ repeats: number[]; touched: number }>(
    'store-and-count',
    STORE_AND_COUNT,
    [
      await rowsText(events),
      addedRows(usages),
      now,
      tallyRows(tallies),
      anyShard(),
      JSON.stringify(receipts),
    ],
  );
  return stored!;
}

const ADD_RECEIPTS = addReceiptsSql('$1', '$2');

export async function addReceipts(sql: Sql, receipts: readonly Receipt[]): Promise<void> {
  await sql.query('add-receipts', ADD_RECEIPTS, [JSON.stringify(receipts), anyShard()]);
}

/** Events written out between two breaths. */
const SLICE = 256;

async function rowsText(events: readonly IngestedEvent[]): Promise<string> {
  let text = '';
  await inSlices(events, SLICE, (slice, start) => {
    for (let place = 0; place < slice.length; place += 1) {
      text += `${text === '' ? '[' : ','}${rowText(slice[place]!, start + place)}`;
    }
  });
  return text === '' ? '[]' : `${text}]`;
}

/**
 * The event as JSON, written by hand where nothing needs escaping. Its keys come in the order in which `jsonb` keeps
 * them, shorter before longer, so that PostgreSQL has nothing to sort.
 */
function rowText(event: IngestedEvent, at: number): string {
  const { id, organization_id, customer_id, member_id, parent, external_customer_id } = event;
  return `{${customer_id === null ? '' : `"c":"${customer_id}",`}"i":"${id}","m":${JSON.stringify(event.metadata)},"n":${JSON.stringify(event.name)},"o":"${organization_id}"${
    parent === null ? '' : `,"p":"${parent}"`
  },"t":"${instantText(event.timestamp)}"${
    event.external_id === null ? '' : `,"x":${JSON.stringify(event.external_id)}`
  },"at":${at}${member_id === null ? '' : `,"mi":"${member_id}"`}${
    external_customer_id === null ? '' : `,"xc":${JSON.stringify(external_customer_id)}`
  }${event.external_member_id === null ? '' : `,"xm":${JSON.stringify(event.external_member_id)}`}}`;
}

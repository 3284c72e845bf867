import type { Usage } from '../customer-meters/usage.ts';
import { addedColumns, addToCurrentSql } from '../customer-meters/usage-sql.ts';
import { addTalliesSql, anyShard, type Tally, tallyRows } from '../event-types/tallies.ts';
import type { Sql } from '../sql.ts';
import { eventColumns, eventColumnsSql } from './event-columns.ts';
import type { IngestedEvent } from './event-input.ts';
import { addReceiptsSql, type Receipt } from './receipts.ts';

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
    select * from ${eventColumnsSql(1)} with ordinality as event(id, organization_id, customer_id, member_id, parent_id,
      timestamp, name, external_customer_id, external_member_id, external_id, metadata, number)
  ), claimed as (
    insert into event_external_ids (organization_id, external_id, event_id)
    select organization_id, external_id, id from incoming where external_id is not null
    order by organization_id, external_id, number
    on conflict do nothing
    returning event_id
  ), repeated as materialized (
    select number from incoming where external_id is not null and id not in (select event_id from claimed)
  ), stored as (
    insert into events (id, organization_id, customer_id, member_id, parent_id, timestamp, source, name,
      external_customer_id, external_member_id, metadata)
    select id, organization_id, customer_id, member_id, parent_id, timestamp, 'user', name,
      external_customer_id, external_member_id, metadata
    from incoming where external_id is null or id in (select event_id from claimed)
  )`;

const INSERT_EVENTS = `with ${STORE} select number from repeated`;

/** Stores events; returns the places of those that were dropped as repeats. */
export async function insertEvents(sql: Sql, events: readonly IngestedEvent[]): Promise<number[]> {
  const repeats = await sql.query<{ number: number }>(
    'insert-events',
    INSERT_EVENTS,
    await eventColumns(events),
  );
  return repeats.map(({ number }) => number - 1);
}

const NONE_REPEATED = 'not exists (select from repeated)';

const STORE_AND_COUNT = `
  with ${STORE}, ${addToCurrentSql('$12', 13, NONE_REPEATED)}, tallied as (
    ${addTalliesSql('$23', '$24', `${NONE_REPEATED} and (select count(*) from touched) >= 0`)}
    returning 1
  ), receipted as (
    ${addReceiptsSql('$25', '$24', `${NONE_REPEATED} and (select count(*) from tallied) >= 0`)}
  )
  select array(select number from repeated) as repeats, (select count(*)::integer from touched) as touched`;

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
      ...(await eventColumns(events)),
      now,
      ...addedColumns(usages),
      tallyRows(tallies),
      anyShard(),
      JSON.stringify(receipts),
    ],
  );
  return { ...stored!, repeats: stored!.repeats.map((number) => number - 1) };
}

const ADD_RECEIPTS = addReceiptsSql('$1', '$2');

export async function addReceipts(sql: Sql, receipts: readonly Receipt[]): Promise<void> {
  await sql.query('add-receipts', ADD_RECEIPTS, [JSON.stringify(receipts), anyShard()]);
}

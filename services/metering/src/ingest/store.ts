import type { Usage } from '../customer-meters/usage.ts';
import { addedColumns, addToCurrentSql } from '../customer-meters/usage-sql.ts';
import { addTalliesSql, anyShard, type Tally, tallyRows } from '../event-types/tallies.ts';
import type { Sql } from '../sql.ts';
import { eventColumns, INCOMING, INSERT_INCOMING } from './event-columns.ts';
import type { IngestedEvent } from './event-input.ts';
import { addReceiptsSql, type Receipt } from './receipts.ts';

/**
 * SQL that stores events and drops repeats: an `external_id` is claimed first, in the order of the ids so that two
 * batches never wait for each other in a circle, and only claimed events are stored. The places of the others in the
 * batch are in `repeated`.
 */
const STORE = `
  ${INCOMING}, claimed as (
    insert into event_external_ids (organization_id, external_id, event_id)
    select organization_id, external_id, id from incoming where external_id is not null
    order by organization_id, external_id, number
    on conflict do nothing
    returning event_id
  ), repeated as materialized (
    select number from incoming where external_id is not null and id not in (select event_id from claimed)
  ), stored as (
    ${INSERT_INCOMING} where external_id is null or id in (select event_id from claimed)
    returning 1
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
  with ${STORE}, ${addToCurrentSql('$12', 13, `${NONE_REPEATED} and (select count(*) from stored) >= 0`)}, tallied as (
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

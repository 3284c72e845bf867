import { numberArray, textArray, uuidArray } from '../array-parameters.ts';
import { addedColumns, addToCurrentSql } from '../customer-meters/usage-sql.ts';
import { addTalliesSql, anyShard, tallyRows } from '../event-types/tallies.ts';
import { SHARES_COUNTING } from '../organization-locks.ts';
import { eventColumns, INCOMING, INSERT_INCOMING } from './event-columns.ts';
import type { IngestedEvent } from './event-input.ts';
import { addReceiptsSql } from './receipts.ts';
import type { Counts } from './store.ts';
import type { Surroundings } from './surroundings-store.ts';
import type { Execution } from './trip-store.ts';

/** Whether everything is as it was remembered: parameters 26 to 32. Each row is looked up by its key, whatever the size. */
const AS_REMEMBERED = `
  ${SHARES_COUNTING}
  and not exists (
    select from unnest($26::uuid[], $27::bigint[]) as remembered(id, meters_version)
    where remembered.meters_version <>
        coalesce((select meters_version from metered_organizations where organization_id = remembered.id), 0)
      or (select true from pending_parents where organization_id = remembered.id limit 1))
  and coalesce(cardinality($28::uuid[]), 0) = (
    select count(*) from customers_replica
    where id = any($28::uuid[]) and value is not null and value ->> 'deleted_at' is null)
  and coalesce(cardinality($29::uuid[]), 0) = (
    select count(*) from members_replica where id = any($29::uuid[]) and value is not null)
  and not exists (
    select from unnest($30::uuid[], $31::text[], $32::uuid[]) as remembered(organization_id, external_id, customer_id)
    where remembered.customer_id is distinct from (
      select named.customer_id from customer_external_ids named
      where named.organization_id = remembered.organization_id and named.external_id = remembered.external_id
        and named.is_current))`;

/**
 * Each part counts the one before it, so that locks are taken in the order that all keep to, and those that others wait
 * for last.
 */
const STORE_IN_ONE_TRIP = `
  with ${INCOMING}, claimed as (
    insert into event_external_ids (organization_id, external_id, event_id)
    select organization_id, external_id, id from incoming where external_id is not null
    order by organization_id, external_id
    returning 1
  ), stored as (
    ${INSERT_INCOMING} where (select count(*) from claimed) >= 0
    returning 1
  ), ${addToCurrentSql('$12', 13, '(select count(*) from stored) >= 0')}, tallied as (
    ${addTalliesSql('$23', '$24', '(select count(*) from touched) >= 0')}
    returning 1
  ), receipted as (
    ${addReceiptsSql('$25', '$24', '(select count(*) from tallied) >= 0')}
  )
  select case when (${AS_REMEMBERED}) and (select count(*) from touched) = $33::bigint then true else refuse_ingest() end`;

/**
 * Stores events and adds what they come to, all or nothing: refused by the database if an `external_id` is there
 * already, a customer meter was reset later than an event, or anything is not as it was remembered.
 */
export async function oneTripStatement(
  events: readonly IngestedEvent[],
  { usages, tallies, receipts }: Counts,
  { organizations, customers, members, external }: Surroundings,
  now: Date,
): Promise<Execution> {
  const values = [
    ...(await eventColumns(events)),
    now.toISOString(),
    ...addedColumns(usages),
    tallyRows(tallies),
    String(anyShard()),
    JSON.stringify(receipts),
    uuidArray(organizations.map((organization) => organization.organization_id)),
    numberArray(organizations.map((organization) => organization.meters_version)),
    uuidArray(customers.map((customer) => customer.id)),
    uuidArray(members.map((member) => member.id)),
    uuidArray(external.map((name) => name.organization_id)),
    textArray(external.map((name) => name.external_id)),
    uuidArray(external.map((name) => name.customer_id)),
    String(usages.length),
  ];
  return { name: 'store_in_one_trip', text: STORE_IN_ONE_TRIP, values };
}

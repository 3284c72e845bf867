import { newId } from '@tributary/proto/id.ts';
import { InstantArray, numberArray, UuidArray, unnestSql } from '../array-parameters.ts';
import type { Usage } from './usage.ts';

const TYPES = [
  'uuid',
  'uuid',
  'uuid',
  'uuid',
  'bigint',
  'numeric',
  'numeric',
  'numeric',
  'timestamptz',
  'timestamptz',
];

/**
 * SQL that adds totals to the current period of every customer meter whose latest reset lies before the earliest
 * entry; the rest of the statement finds the rows in `touched`. Customer meters appear on the way.
 * @param now parameter with the time
 * @param first number of the first of the parameters that `addedColumns` makes
 * @param condition under which anything is added at all
 */
export const addToCurrentSql = (now: string, first: number, condition = 'true'): string => `
  touched as (
    insert into customer_meters as head (id, organization_id, meter_id, customer_id, is_used, created_at,
      measured_count, measured_sum, measured_max, measured_min, first_event_at, last_event_at)
    select id, organization_id, meter_id, customer_id, true, ${now}, count, sum, max, min, first_at, last_at
    from ${unnestSql(first, TYPES)}
      as added(id, organization_id, meter_id, customer_id, count, sum, max, min, first_at, last_at)
    where ${condition}
    order by meter_id, customer_id
    on conflict (organization_id, meter_id, customer_id) do update
      set is_used = true,
          measured_count = head.measured_count + excluded.measured_count,
          measured_sum = head.measured_sum + excluded.measured_sum,
          measured_max = greatest(head.measured_max, excluded.measured_max),
          measured_min = least(head.measured_min, excluded.measured_min),
          first_event_at = least(head.first_event_at, excluded.first_event_at),
          last_event_at = greatest(head.last_event_at, excluded.last_event_at),
          modified_at = excluded.created_at
      where head.reset_at is null or excluded.first_event_at >= head.reset_at
    returning id, organization_id, xmax = 0 as is_new
  ), noted as (
    insert into customer_meter_changes (organization_id, id) select organization_id, id from touched
    on conflict do nothing
  ), ranked as (
    insert into customer_meter_ranks (id, organization_id, consumed_units, credited_units, balance)
    select id, organization_id, 0, 0, 0 from touched where is_new
    on conflict do nothing
  )`;

/** What `addToCurrentSql` adds, column by column. */
export function addedColumns(usages: readonly Usage[]): (Buffer | string | null)[] {
  const [ids, organizations, meters, customers] = [
    new UuidArray(),
    new UuidArray(),
    new UuidArray(),
    new UuidArray(),
  ];
  const [first, last] = [new InstantArray(), new InstantArray()];
  for (const { meter, customer_id, totals } of usages) {
    ids.add(newId());
    organizations.add(meter.organization_id);
    meters.add(meter.id);
    customers.add(customer_id);
    first.add(totals.firstAt);
    last.add(totals.lastAt);
  }
  const numbers = (['count', 'sum', 'max', 'min'] as const).map((field) =>
    numberArray(usages.map(({ totals }) => totals[field])),
  );
  return [ids.value, organizations.value, meters.value, customers.value, ...numbers, first.value, last.value];
}

import { newId } from '@tributary/proto/id.ts';
import type { Usage } from './usage.ts';

/**
 * SQL that adds totals to the current period of every customer meter whose latest reset lies before the earliest
 * entry; the rest of the statement finds the rows in `touched`. Customer meters appear on the way.
 * @param added parameter with the text of `addedRows`
 * @param now parameter with the time
 * @param condition under which anything is added at all
 */
export const addToCurrentSql = (added: string, now: string, condition = 'true'): string => `
  touched as (
    insert into customer_meters as head (id, organization_id, meter_id, customer_id, is_used, created_at,
      measured_count, measured_sum, measured_max, measured_min, first_event_at, last_event_at)
    select added.id, added.organization_id, added.meter_id, added.customer_id, true, ${now},
      added.count, added.sum, added.max, added.min, added.first_at, added.last_at
    from jsonb_to_recordset(${added}::jsonb) as added(id uuid, organization_id uuid, meter_id uuid, customer_id uuid,
      count bigint, sum numeric, max numeric, min numeric, first_at timestamptz, last_at timestamptz)
    where ${condition}
    order by added.meter_id, added.customer_id
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

/** What `addToCurrentSql` adds. */
export const addedRows = (usages: readonly Usage[]): string =>
  JSON.stringify(
    usages.map(({ meter, customer_id, totals }) => ({
      id: newId(),
      organization_id: meter.organization_id,
      meter_id: meter.id,
      customer_id,
      ...totals.read(),
    })),
  );

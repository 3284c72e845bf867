import { newId } from '@tributary/proto/id.ts';
import { instantText } from '../events/instant.ts';
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
    select i, o, m, c, true, ${now}, n, s, h, l, f, coalesce(t, f)
    from jsonb_to_recordset(${added}::jsonb) as added(i uuid, o uuid, m uuid, c uuid,
      n bigint, s numeric, h numeric, l numeric, f timestamptz, t timestamptz)
    where ${condition}
    order by m, c
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

/** What `addToCurrentSql` adds: JSON, written by hand because nothing in it needs escaping, with short names in order. */
export const addedRows = (usages: readonly Usage[]): string => `[${usages.map(rowText).join(',')}]`;

function rowText({ meter, customer_id, totals }: Usage): string {
  const { count, sum, max, min, firstAt, lastAt } = totals;
  return `{"c":"${customer_id}","f":"${instantText(firstAt)}"${max === null ? '' : `,"h":${max}`},"i":"${newId()}"${
    min === null ? '' : `,"l":${min}`
  },"m":"${meter.id}","n":${count},"o":"${meter.organization_id}","s":${sum}${
    lastAt === firstAt ? '' : `,"t":"${instantText(lastAt)}"`
  }}`;
}

import { LEAST_ID } from '@tributary/proto/id.ts';
import type { Books, Part } from '@tributary/runtime/reconciliation/books.ts';
import { none } from '@tributary/runtime/reconciliation/report.ts';
import { creditedSql } from '../customer-meters/reset-store.ts';
import { someIdBetween } from './some-id.ts';

/** Customer meters looked at: all of them, or as many from some place on, another one each time. */
const ENOUGH = 50_000;
const EXAMPLES = 5;

/** A running sum that stops at zero, against the steps it ran over. */
const CREDITED = `row.credited_units <> ${creditedSql('row.meter_id', 'row.customer_id', 'row.reset_at', 'null')}`;

/** Periods follow one another up to the latest reset: an event of the past has exactly one. */
const BROKEN = `exists (
  select from (
    select count(*) as periods, count(*) filter (where starts_at is null) as firsts, max(ends_at) as last_end,
      count(*) filter (where not is_continued) as loose
    from (
      select starts_at, ends_at,
        coalesce(lead(starts_at) over (order by ends_at) = ends_at, ends_at = row.reset_at, false) as is_continued
      from usage_periods where meter_id = row.meter_id and customer_id = row.customer_id
    ) period
  ) past
  where (row.reset_at is not null or past.periods > 0)
    and (past.firsts <> 1 or past.loose > 0 or past.last_end is distinct from row.reset_at))`;

/** Whoever has used a meter has a first event, which is no later. The search for it may be a minute behind. */
const UNTOLD = `row.first_event_at is not null
  and coalesce(row.modified_at, row.created_at) < $2::timestamptz - interval '2 minutes'
  and not exists (
    select from first_user_events first
    where first.customer_id = row.customer_id and first.timestamp <= row.first_event_at)`;

const rule = (name: string, isBroken: string): Part => ({
  name,
  async read(books) {
    const [row] = await books.query<{ found: number; examples: string[] }>(
      `with wrong as materialized (
         select row.id from (
           select * from customer_meters where id >= $1 order by id limit ${ENOUGH}
         ) row where $2::timestamptz is not null and (${isBroken})
       )
       select (select count(*) from wrong) as found, array(select id::text from wrong order by id limit ${EXAMPLES}) as examples`,
      [await somePlace(books), books.before],
    );
    return { checks: [none(name, row!.found, row!.examples)] };
  },
});

async function somePlace(books: Books): Promise<string> {
  const [ends] = await books.query<{ first: string | null; last: string | null }>(
    `select (select id from customer_meters order by id limit 1) as first,
       (select id from customer_meters order by id desc offset ${ENOUGH} limit 1) as last`,
  );
  return ends!.last === null ? LEAST_ID : someIdBetween(ends!.first, ends!.last);
}

export const customerMeterParts: readonly Part[] = [
  rule('customer meters: credited other than their credits say', CREDITED),
  rule('customer meters: periods with gaps', BROKEN),
  rule('customer meters: of customers whose first event is not known', UNTOLD),
];

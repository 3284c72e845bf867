import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { filterSql } from '../filters/sql.ts';
import { addCounted } from '../meters/counted-sql.ts';
import type { Meter } from '../meters/meter.ts';
import { quantitySql } from '../meters/quantity-sql.ts';
import type { Aggregation } from '../meters/schema.ts';
import { Conditions } from '../sql.ts';
import { consumedSql, valueHashSql } from './totals.ts';

/** Totals as they are stored. Decimals as text. */
export interface TotalsRow {
  measured_count: number;
  measured_sum: string;
  measured_max: string | null;
  measured_min: string | null;
  distinct_count: number;
  first_event_at: Date | null;
  last_event_at: Date | null;
}

/** Half-open; null is without bound. */
export interface Span {
  from: Date | null;
  to: Date | null;
}

/** SQL of the totals of a set of rows that have `quantity` and `timestamp`. */
export const totalsSql = (aggregation: Aggregation): string => `
  count(quantity) as measured_count,
  ${
    aggregation.func === 'unique'
      ? `0::numeric as measured_sum, null::numeric as measured_max, null::numeric as measured_min,
         count(distinct quantity) as distinct_count`
      : `coalesce(sum(quantity), 0) as measured_sum, max(quantity) as measured_max, min(quantity) as measured_min,
         0::bigint as distinct_count`
  },
  min(timestamp) as first_event_at, max(timestamp) as last_event_at`;

/** The customer's events that the meter matches, within a span. */
export function matchingEvents(meter: Meter, customerId: string, { from, to }: Span): Conditions {
  return new Conditions()
    .add('event.organization_id = ?', meter.organization_id)
    .add('event.customer_id = ?', customerId)
    .add(`event.source = 'user'`)
    .addIf(from, 'event.timestamp >= ?')
    .addIf(to, 'event.timestamp < ?')
    .addSql((binder) => filterSql(meter.filter, 'event', binder));
}

/**
 * Recounts the customer's events of a span, one by one: the truth that stored totals stand for.
 * @param isWhole also counts what the meter's backfill has not reached; otherwise just what the totals hold
 */
export async function recount(
  db: Pick<Tx, 'query'>,
  meter: Meter,
  customerId: string,
  span: Span,
  isWhole = false,
): Promise<TotalsRow> {
  const conditions = matchingEvents(meter, customerId, span);
  addCounted(conditions, isWhole ? { ...meter, is_backfilled: true, is_clearing: false } : meter);
  const quantity = quantitySql(meter.aggregation, 'event', conditions);
  const [totals]: [TotalsRow] = await db.query(
    `select ${totalsSql(meter.aggregation)} from (
       select ${quantity} as quantity, event.timestamp from events event where ${conditions.where}
     ) matching where quantity is not null`,
    conditions.values,
  );
  return totals;
}

/** Notes anew which values a `unique` meter has seen in a period. */
export async function recountValues(tx: Tx, meter: Meter, customerId: string, span: Span): Promise<void> {
  await tx.query(
    `delete from usage_values where meter_id = $1 and customer_id = $2 and period_start = coalesce($3, '-infinity'::timestamptz)`,
    [meter.id, customerId, span.from],
  );
  const conditions = matchingEvents(meter, customerId, span);
  addCounted(conditions, meter);
  const quantity = quantitySql(meter.aggregation, 'event', conditions);
  const key = [meter.id, customerId, span.from].map((value) => conditions.bind(value));
  await tx.query(
    `insert into usage_values (meter_id, customer_id, period_start, value_hash)
     select distinct ${key[0]}::uuid, ${key[1]}::uuid, coalesce(${key[2]}::timestamptz, '-infinity'), ${valueHashSql('quantity')}
     from (select ${quantity} as quantity from events event where ${conditions.where}) matching
     where quantity is not null`,
    conditions.values,
  );
}

/** Units consumed, as decimal text, out of totals. */
export async function consumedUnits(
  db: Pick<Tx, 'query'>,
  meter: Pick<Meter, 'aggregation'>,
  totals: TotalsRow,
): Promise<string> {
  const [row]: [{ consumed_units: string }] = await db.query(
    `select (${consumedSql('$1::text', 'totals')})::numeric as consumed_units
     from (select $2::bigint as measured_count, $3::numeric as measured_sum, $4::numeric as measured_max,
                  $5::numeric as measured_min, $6::bigint as distinct_count) totals`,
    [
      meter.aggregation.func,
      totals.measured_count,
      totals.measured_sum,
      totals.measured_max,
      totals.measured_min,
      totals.distinct_count,
    ],
  );
  return row.consumed_units;
}

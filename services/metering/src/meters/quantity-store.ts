import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { addExternalCustomers, type ExternalCustomers } from '../customers/external-customers.ts';
import { filterSql } from '../filters/sql.ts';
import { Conditions } from '../sql.ts';
import type { Meter } from './meter.ts';
import type { QuantityQuery } from './quantity-schema.ts';
import { quantitySql } from './quantity-sql.ts';
import type { AggregationFunction } from './schema.ts';

export interface Quantities {
  buckets: { timestamp: Date; quantity: number }[];
  total: number;
}

/** SQL of an aggregate over quantities that are not null; nothing comes to zero. */
const aggregateSql: Record<AggregationFunction, (column: string) => string> = {
  count: (column) => `count(${column})::numeric`,
  sum: (column) => `coalesce(sum(${column}), 0)`,
  max: (column) => `coalesce(max(${column}), 0)`,
  min: (column) => `coalesce(min(${column}), 0)`,
  avg: (column) => `coalesce(avg(${column}), 0)`,
  unique: (column) => `count(distinct ${column})::numeric`,
};

/**
 * Quantities of a meter by interval, every bucket of the range present, in one statement. Buckets begin at local
 * midnights and the like of the time zone; hours are steps of 60 minutes from the first on.
 */
export async function readQuantities(
  db: Reader,
  meter: Meter,
  query: QuantityQuery,
  external: ExternalCustomers | undefined,
): Promise<Quantities> {
  const { start_timestamp, end_timestamp, interval, timezone } = query;
  const conditions = conditionsOf(meter, query, external);
  const [start, end, zone] = [start_timestamp, end_timestamp, timezone].map((value) =>
    conditions.bind(value),
  );
  const bucketOf = (instant: string) =>
    interval === 'hour'
      ? `date_bin('1 hour', ${instant}, date_trunc('hour', ${start}::timestamptz, ${zone}))`
      : `date_trunc('${interval}', ${instant} at time zone ${zone}) at time zone ${zone}`;
  const buckets =
    interval === 'hour'
      ? `select * from generate_series(date_trunc('hour', ${start}::timestamptz, ${zone}), ${end}::timestamptz, '1 hour') as bucket`
      : `select local at time zone ${zone} as bucket
         from generate_series(date_trunc('${interval}', ${start}::timestamptz at time zone ${zone}),
           ${end}::timestamptz at time zone ${zone}, '1 ${interval}') as local`;
  const quantity = quantitySql(meter.aggregation, 'event', conditions);
  const rows: { bucket: Date | null; quantity: string }[] = await db.query(
    `with matching as (
       select ${bucketOf('event.timestamp')} as bucket, ${quantity} as quantity,
         coalesce(event.customer_id::text, event.external_customer_id) as customer
       from events event where ${conditions.where}
     ), measured as (${measuredSql(meter.aggregation.func, query.customer_aggregation_function)})
     select series.bucket, coalesce(measured.quantity, 0) as quantity
     from (${buckets}) series left join measured on measured.bucket = series.bucket and not measured.is_total
     where series.bucket < ${end}::timestamptz or series.bucket = ${bucketOf(`${start}::timestamptz`)}
     union all
     select null, quantity from measured where is_total
     order by 1 nulls last`,
    conditions.values,
  );
  return {
    buckets: rows.flatMap((row) =>
      row.bucket === null ? [] : [{ timestamp: row.bucket, quantity: Number(row.quantity) }],
    ),
    total: Number(rows.find((row) => row.bucket === null)?.quantity ?? 0),
  };
}

/** Per bucket and for the whole range; with a customer function per customer first, then over the customers. */
function measuredSql(func: AggregationFunction, combine: AggregationFunction | undefined): string {
  const measure = aggregateSql[func]('quantity');
  if (combine === undefined) {
    return `select bucket, grouping(bucket) = 1 as is_total, ${measure} as quantity
      from matching where quantity is not null group by grouping sets ((bucket), ())`;
  }
  return `select bucket, is_total, ${aggregateSql[combine]('quantity')} as quantity
    from (
      select bucket, grouping(bucket) = 1 as is_total, ${measure} as quantity
      from matching where quantity is not null group by grouping sets ((bucket, customer), (customer))
    ) by_customer
    group by bucket, is_total`;
}

function conditionsOf(
  meter: Meter,
  query: QuantityQuery,
  external: ExternalCustomers | undefined,
): Conditions {
  const conditions = new Conditions()
    .add('event.organization_id = ?', meter.organization_id)
    .add(`event.source = 'user'`)
    .add('event.timestamp >= ?', query.start_timestamp)
    .add('event.timestamp < ?', query.end_timestamp)
    .addSql((binder) => filterSql(meter.filter, 'event', binder))
    .addIn('event.customer_id', query.customer_id);
  addExternalCustomers(conditions, external);
  for (const { key, values } of query.metadata ?? []) {
    conditions.add('event.metadata ->> ? = any(?)', key, values);
  }
  return conditions;
}

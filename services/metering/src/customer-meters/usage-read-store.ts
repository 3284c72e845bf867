import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { Meter } from '../meters/meter.ts';
import type { Span, TotalsRow } from './measure-store.ts';
import { creditedSql } from './reset-store.ts';
import { consumedSql, TOTALS } from './totals.ts';

type Query = Pick<Tx, 'query'>;

/** A stored period, the current one included, that reaches over the whole span. */
export async function enclosingPeriod(
  db: Query,
  meter: Meter,
  customerId: string,
  { from, to }: Span,
): Promise<(TotalsRow & { starts_at: Date | null; ends_at: Date | null }) | undefined> {
  const [period] = await db.query(
    `select * from (
       select starts_at, ends_at, ${TOTALS} from usage_periods where meter_id = $2 and customer_id = $3
       union all
       select reset_at, null, ${TOTALS} from customer_meters
       where organization_id = $1 and meter_id = $2 and customer_id = $3
     ) period
     where coalesce(starts_at, '-infinity') <= coalesce($4::timestamptz, '-infinity')
       and coalesce(ends_at, 'infinity') >= coalesce($5::timestamptz, 'infinity')
     limit 1`,
    [meter.organization_id, meter.id, customerId, from, to],
  );
  return period;
}

export async function creditedIn(
  db: Query,
  meterId: string,
  customerId: string,
  { from, to }: Span,
): Promise<number> {
  const [row]: [{ credited_units: number }] = await db.query(
    `select ${creditedSql('$1', '$2', '$3', '$4')} as credited_units`,
    [meterId, customerId, from, to],
  );
  return row.credited_units;
}

/** The running totals of customer meters; pairs without any are left out. */
export async function runningTotals(
  db: Query,
  keys: readonly { customer_id: string; meter_id: string }[],
): Promise<{ customer_id: string; meter_id: string; consumed_units: string; credited_units: number }[]> {
  return db.query(
    `select row.customer_id, row.meter_id, row.credited_units,
       ${consumedSql(`meter.aggregation ->> 'func'`, 'row')} as consumed_units
     from unnest($1::uuid[], $2::uuid[]) as wanted(customer_id, meter_id)
     join meters meter on meter.id = wanted.meter_id
     join customer_meters row on row.organization_id = meter.organization_id
       and row.meter_id = wanted.meter_id and row.customer_id = wanted.customer_id`,
    [keys.map((key) => key.customer_id), keys.map((key) => key.meter_id)],
  );
}

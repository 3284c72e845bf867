import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { CustomerEvent } from '../customer-meters/usage.ts';
import { filterSql } from '../filters/sql.ts';
import { Conditions } from '../sql.ts';
import { addGaps } from './counted-sql.ts';
import { MeterEntity } from './entity.ts';
import type { Meter } from './meter.ts';
import { startCounting } from './store.ts';

/** The meter, locked, if something from before it waits to be counted. */
export async function meterToCount(tx: Tx, id: string): Promise<Meter | null> {
  const meter = await tx
    .getRepository(MeterEntity)
    .findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  return meter && (meter.is_clearing || !meter.is_backfilled) ? meter : null;
}

/** The next events that the meter matches and has not counted, in the order of timestamp and id. */
export async function eventsBefore(
  tx: Tx,
  meter: Meter,
  limit: number,
): Promise<(CustomerEvent & { id: string })[]> {
  const conditions = new Conditions()
    .add('event.organization_id = ?', meter.organization_id)
    .add(`event.source = 'user'`)
    .add('event.id <= ?', meter.live_after)
    .addSql((binder) => filterSql(meter.filter, 'event', binder));
  if (meter.backfill_timestamp !== null) {
    conditions
      .add('event.timestamp >= ?', meter.backfill_timestamp)
      .add('(event.timestamp, event.id) > (?, ?::uuid)', meter.backfill_timestamp, meter.backfill_id);
  }
  addGaps(conditions, meter.gaps);
  const rows: { id: string; customer_id: string | null; name: string; timestamp: Date; metadata: object }[] =
    await tx.query(
      `select event.id, event.customer_id, event.name, event.timestamp, event.metadata from events event
       where ${conditions.where} order by event.timestamp, event.id limit ${limit}`,
      conditions.values,
    );
  return rows.map((row) => ({
    ...row,
    source: 'user' as const,
    metadata: row.metadata as Record<string, unknown>,
    timestamp: row.timestamp.getTime(),
  }));
}

export async function moveBackfill(
  tx: Tx,
  id: string,
  last: { timestamp: number; id: string } | undefined,
  isDone: boolean,
): Promise<void> {
  await tx.getRepository(MeterEntity).update(
    { id },
    {
      is_backfilled: isDone,
      ...(last ? { backfill_timestamp: new Date(last.timestamp), backfill_id: last.id } : {}),
    },
  );
}

const ZERO_TOTALS = `measured_count = 0, measured_sum = 0, measured_max = null, measured_min = null,
  distinct_count = 0, first_event_at = null, last_event_at = null`;
const HAS_TOTALS = '(measured_count <> 0 or distinct_count <> 0 or last_event_at is not null)';

const CLEAR_CURRENT = `
  with cleared as (
    update customer_meters set ${ZERO_TOTALS} where id in (
      select id from customer_meters where organization_id = $1 and meter_id = $2 and ${HAS_TOTALS}
      order by meter_id, customer_id limit $3 for update)
    returning organization_id, id
  ), noted as (
    insert into customer_meter_changes (organization_id, id) select organization_id, id from cleared
    on conflict do nothing
  )
  select count(*) as cleared from cleared`;

const CLEAR_EARLIER = `
  with cleared as (
    update usage_periods set ${ZERO_TOTALS} where (meter_id, customer_id, ends_at) in (
      select meter_id, customer_id, ends_at from usage_periods where meter_id = $1 and ${HAS_TOTALS} limit $2)
    returning 1
  )
  select count(*) as cleared from cleared`;

const CLEAR_VALUES = `
  with cleared as (
    delete from usage_values where (meter_id, customer_id, period_start, value_hash) in (
      select meter_id, customer_id, period_start, value_hash from usage_values where meter_id = $1 limit $2)
    returning 1
  )
  select count(*) as cleared from cleared`;

/** Empties totals of the meter's former filter, at most `limit` rows of each table; returns whether there were any. */
export async function clearTotals(tx: Tx, { id, organization_id }: Meter, limit: number): Promise<boolean> {
  let all = 0;
  for (const [text, values] of [
    [CLEAR_CURRENT, [organization_id, id, limit]],
    [CLEAR_EARLIER, [id, limit]],
    [CLEAR_VALUES, [id, limit]],
  ] as const) {
    const [{ cleared }]: [{ cleared: number }] = await tx.query(text, [...values]);
    all += cleared;
  }
  return all > 0;
}

/** Nothing of the former filter is left: counting begins at a line drawn now. */
export async function restartCounting(tx: Tx, meter: Meter): Promise<void> {
  const counting = await startCounting(tx, meter.organization_id);
  await tx.getRepository(MeterEntity).update({ id: meter.id }, counting);
}

/** Meters that wait to be counted, at most `limit`. */
export async function metersToCount(db: Pick<Tx, 'query'>, limit: number): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    'select id from meters where is_clearing or not is_backfilled order by id limit $1',
    [limit],
  );
  return rows.map((row) => row.id);
}

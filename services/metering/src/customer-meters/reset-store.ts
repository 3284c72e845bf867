import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { MeterEntity } from '../meters/entity.ts';
import type { Meter } from '../meters/meter.ts';
import { consumedUnits, recount, recountValues, type Span, type TotalsRow } from './measure-store.ts';
import { isSummable, NOTHING, without } from './periods.ts';
import { TOTALS } from './totals.ts';

/** A customer's meter. */
export interface MeterOf {
  organization_id: string;
  customer_id: string;
  meter_id: string;
}

/** A period as it is stored: the current one, without an end, or an earlier one. */
interface Period extends TotalsRow {
  starts_at: Date | null;
  ends_at: Date | null;
}

/** Locks the customer meter, which may not have appeared yet; returns when it was last reset. */
async function lockHead(tx: Tx, key: MeterOf, now: Date): Promise<{ id: string; reset_at: Date | null }> {
  await tx.query(
    `insert into customer_meters (id, organization_id, meter_id, customer_id, is_used, created_at)
     values ($1, $2, $3, $4, false, $5) on conflict (organization_id, meter_id, customer_id) do nothing`,
    [newId(), key.organization_id, key.meter_id, key.customer_id, now],
  );
  const [head]: { id: string; reset_at: Date | null }[] = await tx.query(
    `select id, reset_at from customer_meters where organization_id = $1 and meter_id = $2 and customer_id = $3
     for update`,
    [key.organization_id, key.meter_id, key.customer_id],
  );
  return head!;
}

/**
 * Ends a period of the customer meter at an instant: usage and credits from then on belong to a new one. Returns the
 * period that it closed, or undefined when there was a reset at that very instant already. The instant may lie before
 * an earlier reset; then a period of the past is cut in two.
 */
export async function closePeriod(tx: Tx, key: MeterOf, at: Date, now: Date): Promise<Span | undefined> {
  const meters = tx.getRepository(MeterEntity);
  if (!(await meters.existsBy({ id: key.meter_id, organization_id: key.organization_id }))) return undefined;
  const head = await lockHead(tx, key, now);
  // Read behind the lock: how far the meter's backfill has come decides what the totals hold.
  const meter = await meters.findOneByOrFail({ id: key.meter_id });
  const period = await periodAt(tx, key, head, at);
  if (period.starts_at?.getTime() === at.getTime()) return undefined;
  const closed = { from: period.starts_at, to: at };
  const [left, right] = await cut(tx, meter, key.customer_id, period, at);
  await insertPeriod(tx, key, { ...left, starts_at: closed.from, ends_at: at });
  if (period.ends_at === null) await restartHead(tx, head.id, right, at, now);
  else await replacePeriod(tx, key, { ...right, starts_at: at, ends_at: period.ends_at });
  return closed;
}

async function periodAt(
  tx: Tx,
  key: MeterOf,
  head: { id: string; reset_at: Date | null },
  at: Date,
): Promise<Period> {
  if (head.reset_at === null || at >= head.reset_at) {
    const [current]: [TotalsRow] = await tx.query(`select ${TOTALS} from customer_meters where id = $1`, [
      head.id,
    ]);
    return { ...current, starts_at: head.reset_at, ends_at: null };
  }
  const [earlier]: [Period] = await tx.query(
    `select starts_at, ends_at, ${TOTALS} from usage_periods
     where meter_id = $1 and customer_id = $2 and ends_at > $3 order by ends_at limit 1`,
    [key.meter_id, key.customer_id, at],
  );
  return earlier;
}

/**
 * The totals before and after an instant. Mostly nothing lies after it; otherwise the events there are recounted, and
 * for functions that cannot be taken apart those before it too.
 */
async function cut(
  tx: Tx,
  meter: Meter,
  customerId: string,
  whole: Period,
  at: Date,
): Promise<[TotalsRow, TotalsRow]> {
  if (whole.last_event_at === null || whole.last_event_at < at) return [whole, NOTHING];
  const [before, after] = [
    { from: whole.starts_at, to: at },
    { from: at, to: whole.ends_at },
  ];
  const right = await recount(tx, meter, customerId, after);
  if (isSummable(meter.aggregation.func)) {
    // When exactly the last event before the cut came is not known; not later than just before it.
    const left = { ...without(whole, right), last_event_at: new Date(at.getTime() - 1) };
    return [left.measured_count === 0 ? NOTHING : left, right];
  }
  if (meter.aggregation.func === 'unique') {
    await recountValues(tx, meter, customerId, before);
    await recountValues(tx, meter, customerId, after);
  }
  return [await recount(tx, meter, customerId, before), right];
}

const periodValues = (key: MeterOf, period: Period) => [
  key.meter_id,
  key.customer_id,
  period.ends_at,
  period.starts_at,
  period.measured_count,
  period.measured_sum,
  period.measured_max,
  period.measured_min,
  period.distinct_count,
  period.first_event_at,
  period.last_event_at,
];

async function insertPeriod(tx: Tx, key: MeterOf, period: Period): Promise<void> {
  await tx.query(
    `insert into usage_periods (meter_id, customer_id, ends_at, starts_at, ${TOTALS})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    periodValues(key, period),
  );
}

async function replacePeriod(tx: Tx, key: MeterOf, period: Period): Promise<void> {
  await tx.query(
    `update usage_periods
     set starts_at = $4, measured_count = $5, measured_sum = $6, measured_max = $7, measured_min = $8,
         distinct_count = $9, first_event_at = $10, last_event_at = $11
     where meter_id = $1 and customer_id = $2 and ends_at = $3`,
    periodValues(key, period),
  );
}

async function restartHead(tx: Tx, headId: string, totals: TotalsRow, at: Date, now: Date): Promise<void> {
  await tx.query(
    `update customer_meters
     set reset_at = $2, measured_count = $3, measured_sum = $4, measured_max = $5, measured_min = $6,
         distinct_count = $7, first_event_at = $8, last_event_at = $9, modified_at = $10,
         credited_units = ${creditedSql('customer_meters.meter_id', 'customer_meters.customer_id', '$2', 'null')}
     where id = $1`,
    [
      headId,
      at,
      totals.measured_count,
      totals.measured_sum,
      totals.measured_max,
      totals.measured_min,
      totals.distinct_count,
      totals.first_event_at,
      totals.last_event_at,
      now,
    ],
  );
  await noteChange(tx, headId);
}

/** The customer meter's rank and its copies elsewhere are to follow. */
async function noteChange(tx: Tx, headId: string): Promise<void> {
  await tx.query(
    `insert into customer_meter_changes (organization_id, id)
     select organization_id, id from customer_meters where id = $1 and is_used on conflict do nothing`,
    [headId],
  );
}

/**
 * SQL of the units credited in a span: the running sum, held at zero whenever it would fall below (domain rules 8.6).
 * That is the plain sum, less the lowest point it reaches where that is negative.
 */
export const creditedSql = (meterId: string, customerId: string, from: string, to: string): string => `(
  select coalesce(sum(units) - least(0, min(running)), 0)::bigint from (
    select units, sum(units) over (order by timestamp, position) as running
    from meter_credits credit
    where credit.meter_id = ${meterId} and credit.customer_id = ${customerId}
      and credit.timestamp >= coalesce(${from}::timestamptz, '-infinity')
      and credit.timestamp < coalesce(${to}::timestamptz, 'infinity')
  ) steps)`;

/** What a closed period ended with: its balance, and the units in it that were credited with rollover. */
export async function closedBalance(
  tx: Tx,
  key: MeterOf,
  { from, to }: Span,
): Promise<{ balance: string; rolloverUnits: number }> {
  const [period]: [TotalsRow] = await tx.query(
    `select ${TOTALS} from usage_periods where meter_id = $1 and customer_id = $2 and ends_at = $3`,
    [key.meter_id, key.customer_id, to],
  );
  const meter = await tx.getRepository(MeterEntity).findOneByOrFail({ id: key.meter_id });
  const [row]: [{ balance: string; rollover_units: number }] = await tx.query(
    `select ${creditedSql('$1', '$2', '$3', '$4')} - $5::numeric as balance,
       (select coalesce(sum(units), 0)::bigint from meter_credits credit
        where credit.meter_id = $1 and credit.customer_id = $2 and credit.rollover
          and credit.timestamp >= coalesce($3::timestamptz, '-infinity') and credit.timestamp < $4) as rollover_units`,
    [key.meter_id, key.customer_id, from, to, await consumedUnits(tx, meter, period)],
  );
  return { balance: row.balance, rolloverUnits: row.rollover_units };
}

export interface Credit extends MeterOf {
  event_id: string;
  units: number;
  rollover: boolean;
  benefit_grant_id: string | null;
  timestamp: Date;
}

/** Notes a credit and brings the customer meter, which appears with it, up to date. */
export async function insertCredit(tx: Tx, credit: Credit, now: Date): Promise<void> {
  const { id } = await lockHead(tx, credit, now);
  await tx.query(
    `insert into meter_credits (event_id, organization_id, customer_id, meter_id, units, rollover, benefit_grant_id, timestamp)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      credit.event_id,
      credit.organization_id,
      credit.customer_id,
      credit.meter_id,
      credit.units,
      credit.rollover,
      credit.benefit_grant_id,
      credit.timestamp,
    ],
  );
  await tx.query(
    `update customer_meters
     set is_used = true,
         modified_at = case when is_used then $2::timestamptz else modified_at end,
         credited_units = ${creditedSql('customer_meters.meter_id', 'customer_meters.customer_id', 'customer_meters.reset_at', 'null')}
     where id = $1`,
    [id, now],
  );
  await noteChange(tx, id);
}

/** The latest credit a grant gave and has not taken back. */
export async function openCredit(
  tx: Tx,
  grantId: string,
): Promise<{ meter_id: string; units: number; rollover: boolean; timestamp: Date } | undefined> {
  const [last] = await tx.query(
    `select meter_id, units, rollover, timestamp from meter_credits where benefit_grant_id = $1
     order by position desc limit 1`,
    [grantId],
  );
  return last && last.units > 0 ? last : undefined;
}

/** When the customer meter was last reset; null for never. */
export async function lastReset(tx: Tx, key: MeterOf): Promise<Date | null> {
  const [row]: { reset_at: Date | null }[] = await tx.query(
    `select reset_at from customer_meters where organization_id = $1 and meter_id = $2 and customer_id = $3
     for update`,
    [key.organization_id, key.meter_id, key.customer_id],
  );
  return row?.reset_at ?? null;
}

/** From now on the meter's filter and aggregation stay as they are. */
export async function markBilled(tx: Tx, meterIds: readonly string[], now: Date): Promise<void> {
  await tx.query('update meters set billed_at = $2 where id = any($1) and billed_at is null', [
    meterIds,
    now,
  ]);
}

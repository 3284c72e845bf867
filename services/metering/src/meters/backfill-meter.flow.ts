import { type Database, inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { UsageByMeter } from '../customer-meters/usage.ts';
import { applyUsage } from '../customer-meters/usage-store.ts';
import { holdReplay } from '../organization-locks.ts';
import { sqlOf } from '../sql.ts';
import { compileMeter } from './compile-meter.ts';
import { clearTotals, eventsBefore, meterToCount, moveBackfill, restartCounting } from './counting-store.ts';
import type { Meter } from './meter.ts';

/** Events or rows handled in one transaction. */
const STEP = 2_000;
/** Steps a request that made or changed a meter waits for; the job does the rest. */
const STEPS_AT_ONCE = 5;

/**
 * Brings a meter one bounded step nearer to having counted everything: a former filter's totals are cleared, then the
 * events from before the meter are counted, in the order of timestamp and id. Ingest goes on meanwhile: what is
 * ingested now lies behind the meter's line and is counted there. Returns whether more is to be done.
 */
export async function countMore(db: Database, meterId: string, now = new Date()): Promise<boolean> {
  const [known] = await db.manager.query('select organization_id from meters where id = $1', [meterId]);
  if (!known) return false;
  return inTransaction(db, async (tx) => {
    await holdReplay(tx, known.organization_id);
    const meter = await meterToCount(tx, meterId);
    if (!meter) return false;
    return meter.is_clearing ? clearStep(tx, meter) : backfillStep(tx, meter, now);
  });
}

/** The first few steps at once, so that a meter over a short past is complete when the request ends. */
export async function countPast(db: Database, meterId: string): Promise<void> {
  for (let step = 0; step < STEPS_AT_ONCE; step += 1) if (!(await countMore(db, meterId))) return;
}

async function clearStep(tx: Tx, meter: Meter): Promise<boolean> {
  if (!(await clearTotals(tx, meter, STEP))) await restartCounting(tx, meter);
  return true;
}

async function backfillStep(tx: Tx, meter: Meter, now: Date): Promise<boolean> {
  const events = await eventsBefore(tx, meter, STEP);
  const usage = new UsageByMeter();
  const compiled = compileMeter(meter);
  for (const event of events) usage.add(event, [compiled]);
  await applyUsage(sqlOf(tx), usage.inLockOrder(), now);
  const isDone = events.length < STEP;
  await moveBackfill(tx, meter.id, events.at(-1), isDone);
  return !isDone;
}

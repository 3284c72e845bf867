import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { type CustomerEvent, UsageByMeter } from '../customer-meters/usage.ts';
import { applyUsage } from '../customer-meters/usage-store.ts';
import { compileMeter } from '../meters/compile-meter.ts';
import { countsEvent } from '../meters/meter.ts';
import { metersOf } from '../meters/store.ts';
import { holdReplay } from '../organization-locks.ts';
import { sqlOf } from '../sql.ts';
import { endJoin, type Join, lockJoin, takeEvents } from './store.ts';

/**
 * Gives a customer some of the events that came under its external id before it was there, and counts them. Returns
 * whether more are left.
 */
export async function joinEvents(tx: Tx, join: Join, limit: number, now: Date): Promise<boolean> {
  await holdReplay(tx, join.organization_id);
  const customerId = await lockJoin(tx, join);
  if (customerId === undefined) return false;
  const events = await takeEvents(tx, join, customerId, limit);
  if (events.length > 0) await countEvents(tx, join.organization_id, events, now);
  if (events.length === limit) return true;
  await endJoin(tx, join);
  return false;
}

/** Counts events for the meters that have counted their like; the others come to them by their backfill. */
async function countEvents(
  tx: Tx,
  organizationId: string,
  events: readonly (CustomerEvent & { id: string })[],
  now: Date,
): Promise<void> {
  const meters = (await metersOf(tx, organizationId)).map((meter) => ({
    meter,
    compiled: compileMeter(meter),
  }));
  const usage = new UsageByMeter();
  for (const event of events) {
    const counting = meters.filter(({ meter }) => countsEvent(meter, event));
    usage.add(
      event,
      counting.map(({ compiled }) => compiled),
    );
  }
  await applyUsage(sqlOf(tx), usage.inLockOrder(), now);
}

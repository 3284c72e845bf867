import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import { lockOverdue } from './store.ts';
import { endEntitlements } from './sync-entitlement.flow.ts';

const BATCH = 50;

/** Revokes what unpaid subscriptions still grant once their grace is over; returns whether more may be due. */
export async function endGrace(app: App, now: Date): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    const overdue = await lockOverdue(tx, now, BATCH);
    await endEntitlements(tx, overdue, now);
    return overdue.length === BATCH;
  });
}

import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import { lockOverdue, updateEntitlement } from './store.ts';
import { syncEntitlement } from './sync-entitlement.flow.ts';

const BATCH = 50;

/** Revokes what unpaid subscriptions still grant once their grace is over; returns whether more may be due. */
export async function endGrace(app: App, now: Date): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    const overdue = await lockOverdue(tx, now, BATCH);
    for (const entitlement of overdue) {
      const ended = { ...entitlement, is_active: false, revoke_at: null, modified_at: now };
      await updateEntitlement(tx, ended);
      await syncEntitlement(tx, ended, ended.has_seats, now);
    }
    return overdue.length === BATCH;
  });
}

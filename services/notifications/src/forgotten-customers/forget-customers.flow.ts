import { inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { forgetRecord } from '@tributary/runtime/forget-record.ts';
import type { App } from '../app.ts';
import { messageIdOf } from '../emails/send-email.flow.ts';
import { dropOldSweeps, forgetCustomers, takeDueSweeps } from './store.ts';

/** Forgets what was said of and to these customers, the mails that lie here as files too. */
export async function forget(tx: Tx, app: App, customerIds: readonly string[]): Promise<void> {
  for (const id of customerIds) await forgetRecord(tx, id);
  const mails = await forgetCustomers(tx, customerIds);
  // Before the commit: files that are gone too early are found gone, files that stay would never be looked for again.
  await app.mailer.forget(mails.map((id) => messageIdOf(app, id)));
}

const SWEEP_BATCH = 500;

/**
 * Forgets again whom it forgot lately, for what came late or was still on its way; after two days the means to do so
 * are dropped. One bounded batch; returns whether more are due.
 */
export function sweepForgottenCustomers(app: App, now: Date): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    const ids = await takeDueSweeps(tx, now, SWEEP_BATCH);
    if (ids.length === 0) return false;
    await forget(tx, app, ids);
    await dropOldSweeps(tx, ids, now);
    return ids.length === SWEEP_BATCH;
  });
}

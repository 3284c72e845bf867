import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import { expireCheckout } from './checkout.ts';
import { loadOffers } from './load-offer.flow.ts';
import { checkoutExpired } from './messages.ts';
import { expiredCheckouts, lockExpired, saveCheckout } from './store.ts';

const BATCH = 100;

/** Marks open sessions whose time is over; their secrets were refused from that moment on already. */
export async function expireCheckouts(app: App, now: Date): Promise<boolean> {
  const due = await expiredCheckouts(app.db.manager, now, BATCH);
  const offers = await loadOffers(app, due);
  await inTransaction(app.db, async (tx) => {
    const ids = due.map(({ id }) => id);
    for (const checkout of await lockExpired(tx, ids, now)) {
      const expired = expireCheckout(checkout, now);
      await saveCheckout(tx, expired, checkoutExpired(expired, offers.get(expired.id)!, app, now));
    }
  });
  return due.length === BATCH;
}

import type { App } from '../app.ts';
import { loadOffers } from './load-offer.flow.ts';
import { settleCheckout } from './settle-checkout.flow.ts';
import { dueCheckouts, findCheckout, leaseCheckout } from './store.ts';

const BATCH = 20;
const LEASE_MS = 60_000;

/**
 * Finishes confirmed checkouts whose request did not: its process died, or the processor could not be reached.
 * Several processes may do so at once; a checkout is leased by one of them.
 */
export async function resumeCheckouts(app: App, now: Date): Promise<boolean> {
  const due = await dueCheckouts(app.db.manager, now, BATCH);
  const offers = await loadOffers(app, due);
  for (const checkout of due) {
    const until = new Date(now.getTime() + LEASE_MS);
    if (!(await leaseCheckout(app.db.manager, checkout.id, checkout.resume_at!, until))) continue;
    try {
      await settleCheckout(app, checkout, offers.get(checkout.id)!, now);
    } catch (error) {
      app.log.error({ err: error, checkout: checkout.id }, 'confirmed checkout could not be resumed');
    }
  }
  return due.length === BATCH;
}

/** Goes on with one checkout as soon as its buyer has taken the second step. */
export async function resumeCheckout(app: App, id: string, now: Date): Promise<void> {
  const checkout = await findCheckout(app.db.manager, id);
  if (checkout?.status !== 'confirmed') return;
  const offers = await loadOffers(app, [checkout]);
  await settleCheckout(app, checkout, offers.get(id)!, now);
}

import type { Call } from '@tributary/runtime/http/route.ts';
import { requireAdministrator } from '@tributary/runtime/principal.ts';
import type { App } from '../app.ts';
import { type CheckoutChange, changeCheckout } from './change-checkout.ts';
import { requireSingleSubscription } from './check-buyer.flow.ts';
import { type Checkout, type Offer, requireFresh, requireOpen } from './checkout.ts';
import { loadOffer, requireTrading } from './load-offer.flow.ts';
import { checkoutUpdated } from './messages.ts';
import { type CheckoutReference, getCheckout, saveCheckout } from './store.ts';

/** Changes an open session, for its merchant or its buyer (domain rules 1.6). */
export async function updateCheckout<W>(
  call: Call<unknown, unknown, CheckoutChange>,
  app: App,
  reference: CheckoutReference,
  present: (checkout: Checkout, offer: Offer, app: App) => W,
): Promise<W> {
  const { body, principal, now } = call;
  const seen = await getCheckout(app.db.manager, reference);
  const offer = await loadOffer(app, seen);
  requireAdministrator(principal, seen.organization_id);
  requireTrading(offer.organization);
  return call.transaction(async (tx) => {
    const checkout = await getCheckout(tx, reference, 'refuse');
    if ('client_secret' in reference) requireFresh(checkout, now);
    requireOpen(checkout);
    const changed = changeCheckout(checkout, body, offer, now);
    await requireSingleSubscription(tx, changed, offer);
    await saveCheckout(tx, changed, checkoutUpdated(changed, offer, app, now));
    return present(changed, offer, app);
  });
}

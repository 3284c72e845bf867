import { inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { invalid, Problem } from '@tributary/runtime/http/problem.ts';
import type { Call } from '@tributary/runtime/http/route.ts';
import type { App } from '../app.ts';
import { openSession } from '../customer-sessions/open-session.flow.ts';
import { isCapable } from '../organizations/organization.ts';
import { PaymentNotReady } from '../problems.ts';
import { isPurchasable } from '../products/product.ts';
import { hadTrial } from '../subscriptions/trial-redemptions.ts';
import { requireBuyerFields } from './buyer-fields.ts';
import { type CheckoutChange, changeCheckout } from './change-checkout.ts';
import { requireSingleSubscription } from './check-buyer.flow.ts';
import {
  type Checkout,
  confirmCheckout,
  type Offer,
  requireFresh,
  requireOpen,
  selectedProduct,
} from './checkout.ts';
import { loadOffer, requireTrading } from './load-offer.flow.ts';
import { checkoutUpdated } from './messages.ts';
import { presentPublicCheckout } from './present.ts';
import { needs } from './pricing.ts';
import { resolveCustomer } from './resolve-customer.flow.ts';
import { settleCheckout, trialRepeated } from './settle-checkout.flow.ts';
import { getCheckout, saveCheckout } from './store.ts';

export type Confirmation = CheckoutChange & { confirmation_token_id?: string | null };

/**
 * The buyer agrees and pays (domain rules 1.7). Three steps, none of which holds a lock while another company works:
 * a transaction decides and marks the checkout confirmed; the processor is asked, under a key of this attempt; a
 * transaction fulfils. A process that dies in between leaves a confirmed checkout, which a job takes up again.
 */
export async function confirmCheckoutSession(
  call: Call<{ client_secret: string }, unknown, Confirmation>,
  app: App,
) {
  const { client_secret } = call.params;
  const seen = await getCheckout(app.db.manager, { client_secret });
  const offer = await loadOffer(app, seen);
  requireTrading(offer.organization);
  const confirmed = isRepeated(call, seen) ? seen : await decide(call, app, offer);
  const shown = confirmed.status === 'succeeded' ? confirmed : await settle(call, app, confirmed, offer);
  return {
    ...presentPublicCheckout(shown, offer, app),
    status: 'confirmed' as const,
    customer_session_token: confirmed.is_customer_unproven ? null : await sessionToken(app, confirmed, offer),
  };
}

/** A request that was cut off after it took effect, sent again under its key: it goes on where it was. */
function isRepeated({ headers }: Call<unknown, unknown, unknown>, checkout: Checkout): boolean {
  const key = headers['idempotency-key'];
  const hasTakenEffect = checkout.status === 'confirmed' || checkout.status === 'succeeded';
  return hasTakenEffect && typeof key === 'string' && key !== '' && checkout.confirmation_request === key;
}

async function decide(
  { params, body, headers, now }: Call<{ client_secret: string }, unknown, Confirmation>,
  app: App,
  offer: Offer,
): Promise<Checkout> {
  const { confirmation_token_id: token = null, ...change } = body;
  const request = headers['idempotency-key'];
  return inTransaction(app.db, async (tx) => {
    const open = await getCheckout(tx, params, 'refuse');
    requireFresh(open, now);
    requireOpen(open);
    requireShownTerms(open, offer, now);
    const checkout = changeCheckout(open, change, offer, now);
    const product = selectedProduct(checkout, offer);
    requireBuyerFields(checkout, product, token);
    requireSellable(checkout, offer);
    await requireFirstTrial(tx, checkout, offer);
    const { customer, isUnproven } = await resolveCustomer(tx, checkout, offer, now);
    await requireSingleSubscription(tx, checkout, offer, customer.id);
    const confirmed = confirmCheckout(
      { ...checkout, customer_email: customer.email },
      {
        customer_id: customer.id,
        external_customer_id: customer.external_id,
        is_customer_unproven: isUnproven,
        confirmation_token: token,
        confirmation_request: typeof request === 'string' && request !== '' ? request : null,
      },
      product,
      now,
    );
    await saveCheckout(tx, confirmed, checkoutUpdated(confirmed, offer, app, now));
    return confirmed;
  });
}

/**
 * The buyer agrees to what the session shows. A price that the merchant replaced since, be it one for usage, or a trial
 * that is no longer given is shown by the next change.
 */
function requireShownTerms(open: Checkout, offer: Offer, now: Date): void {
  const { product_id, price_ids, trial_end } = changeCheckout(open, {}, offer, now);
  const arePricesShown = new Set(price_ids).symmetricDifference(new Set(open.price_ids)).size === 0;
  if (arePricesShown && (trial_end === null) === (open.trial_end === null)) return;
  throw invalid(['body', 'product_id'], 'The price has changed.', 'value_error', product_id);
}

/** The product may have been withdrawn, or the organization stopped, since the session was opened. */
function requireSellable(checkout: Checkout, offer: Offer): void {
  const product = selectedProduct(checkout, offer);
  if (!isPurchasable(product)) {
    throw invalid(['body', 'product_id'], 'Product is no longer available.', 'value_error', product.id);
  }
  const { is_payment_form_required } = needs(checkout, product);
  if (is_payment_form_required && !isCapable(offer.organization, 'checkout_payments')) {
    throw new Problem(PaymentNotReady, 'This organization cannot take payments yet.');
  }
}

async function requireFirstTrial(tx: Tx, checkout: Checkout, { organization }: Offer): Promise<void> {
  if (checkout.trial_end === null || !organization.subscription_settings.prevent_trial_abuse) return;
  const buyer = { email: checkout.customer_email, fingerprint: null };
  if (await hadTrial(tx, organization.id, buyer)) throw trialRepeated();
}

/**
 * Goes on to payment and fulfilment. Once the checkout is confirmed, only a refusal of the payment is the buyer's
 * concern: anything else that fails here is finished by the job, and the answer stays that it is confirmed.
 */
async function settle(
  call: Call<unknown, unknown, unknown>,
  app: App,
  confirmed: Checkout,
  offer: Offer,
): Promise<Checkout> {
  const settlement = await settleCheckout(app, confirmed, offer, call.now).catch((error: unknown) => {
    app.log.error({ err: error, checkout: confirmed.id }, 'confirmed checkout left to be resumed');
    return undefined;
  });
  if (settlement?.status === 'failed') throw settlement.problem;
  return settlement?.status === 'waiting' ? settlement.checkout : confirmed;
}

async function sessionToken(app: App, checkout: Checkout, offer: Offer): Promise<string | null> {
  try {
    const session = await openSession(app, { customer_id: checkout.customer_id! }, offer.organization);
    return session.token;
  } catch (error) {
    // The purchase stands; the buyer can still ask for a session by e-mail.
    app.log.warn({ err: error, checkout: checkout.id }, 'no session for the buyer');
    return null;
  }
}

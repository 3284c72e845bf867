import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { Problem } from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import { newPayment } from '../payments/payment.ts';
import type { Outcome } from '../payments/processor.ts';
import { insertPayment } from '../payments/store.ts';
import { PaymentError, TrialAlreadyRedeemed } from '../problems.ts';
import { isMetered } from '../products/price.ts';
import { hadTrial } from '../subscriptions/trial-redemptions.ts';
import {
  awaitSecondStep,
  type Checkout,
  intentKey,
  isSecondStepOverdue,
  type Offer,
  reopenCheckout,
  selectedProduct,
} from './checkout.ts';
import { fulfilCheckout } from './fulfil-checkout.flow.ts';
import { checkoutUpdated } from './messages.ts';
import { amountToCharge, needs, pricesAsked } from './pricing.ts';
import { lockCheckout, saveCheckout } from './store.ts';

export type Settlement =
  | { status: 'succeeded' }
  /** The buyer has to take a second step; the checkout shows which. */
  | { status: 'waiting'; checkout: Checkout }
  /** The checkout is open again. */
  | { status: 'failed'; problem: Problem };

/**
 * Takes a confirmed checkout to its end, or to where it waits for its buyer. Every step can be repeated: the
 * processor is asked under one key for each attempt, and each outcome is written under the checkout's row lock.
 */
export async function settleCheckout(
  app: App,
  checkout: Checkout,
  offer: Offer,
  now: Date,
): Promise<Settlement> {
  const product = selectedProduct(checkout, offer);
  const meterIds = pricesAsked(checkout, product)
    .filter(isMetered)
    .map((price) => price.meter_id);
  await app.replicas.meters.get(app.db.manager, meterIds);
  const outcome = needs(checkout, product).is_payment_form_required ? await pay(app, checkout, now) : null;
  if (outcome?.status === 'requires_action') return waitForBuyer(app, checkout, outcome, offer, now);
  if (outcome?.status === 'failed') {
    return reopen(app, checkout, offer, new Problem(PaymentError, outcome.decline.message), outcome, now);
  }
  if (outcome && (await isTrialRepeated(app, checkout, offer, outcome.method.fingerprint))) {
    return reopen(app, checkout, offer, trialRepeated(), undefined, now);
  }
  await inTransaction(app.db, (tx) => fulfilCheckout(tx, checkout.id, offer, outcome, app, now));
  return { status: 'succeeded' };
}

async function pay({ processor }: App, checkout: Checkout, now: Date): Promise<Outcome> {
  const key = intentKey(checkout);
  const sum = { amount: amountToCharge(checkout), currency: checkout.currency };
  const outcome = await processor.confirm(key, checkout.confirmation_token!, sum);
  if (outcome.status !== 'requires_action' || !isSecondStepOverdue(checkout, now)) return outcome;
  await processor.cancel(key);
  return (await processor.read(key)) ?? outcome;
}

export const trialRepeated = (): Problem =>
  new Problem(TrialAlreadyRedeemed, 'You have already used a trial of this organization.');

/** A card is only known once the processor has it; no money has moved for a trial, so it can still be refused. */
async function isTrialRepeated(
  app: App,
  checkout: Checkout,
  offer: Offer,
  fingerprint: string,
): Promise<boolean> {
  if (checkout.trial_end === null || !offer.organization.subscription_settings.prevent_trial_abuse)
    return false;
  return hadTrial(app.db.manager, checkout.organization_id, { email: null, fingerprint });
}

async function waitForBuyer(
  app: App,
  seen: Checkout,
  outcome: Extract<Outcome, { status: 'requires_action' }>,
  offer: Offer,
  now: Date,
): Promise<Settlement> {
  return inTransaction(app.db, async (tx): Promise<Settlement> => {
    const checkout = await lockCheckout(tx, seen.id);
    if (!isSameAttempt(checkout, seen)) return { status: 'waiting', checkout };
    const waiting = awaitSecondStep(checkout, outcome, now);
    const isNews = checkout.payment_processor_metadata.intent_id !== outcome.intentId;
    await saveCheckout(tx, waiting, isNews ? checkoutUpdated(waiting, offer, app, now) : []);
    return { status: 'waiting', checkout: waiting };
  });
}

async function reopen(
  app: App,
  seen: Checkout,
  offer: Offer,
  problem: Problem,
  failed: Extract<Outcome, { status: 'failed' }> | undefined,
  now: Date,
): Promise<Settlement> {
  return inTransaction(app.db, async (tx): Promise<Settlement> => {
    const checkout = await lockCheckout(tx, seen.id);
    if (!isSameAttempt(checkout, seen)) return { status: 'failed', problem };
    const reopened = reopenCheckout(checkout, now);
    if (failed) await insertPayment(tx, failedPayment(checkout, failed, now));
    await saveCheckout(tx, reopened, checkoutUpdated(reopened, offer, app, now));
    return { status: 'failed', problem };
  });
}

const isSameAttempt = (checkout: Checkout, seen: Checkout): boolean =>
  checkout.status === 'confirmed' && checkout.confirmation_attempts === seen.confirmation_attempts;

const failedPayment = (checkout: Checkout, failed: Extract<Outcome, { status: 'failed' }>, now: Date) =>
  newPayment(
    failed,
    { amount: amountToCharge(checkout), currency: checkout.currency },
    {
      organization_id: checkout.organization_id,
      customer_id: checkout.customer_id,
      customer_email: checkout.customer_email,
      checkout_id: checkout.id,
      order_id: null,
      trigger: 'purchase',
    },
    now,
  );

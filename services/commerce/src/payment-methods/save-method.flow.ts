import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { invalid, Problem } from '@tributary/runtime/http/problem.ts';
import type { Call } from '@tributary/runtime/http/route.ts';
import type { App } from '../app.ts';
import { collectAgain } from '../collections/store.ts';
import type { Customer } from '../customers/customer.ts';
import { customerUpdated } from '../customers/messages.ts';
import { lockCustomer, saveCustomer } from '../customers/store.ts';
import type { Outcome, SavedMethod } from '../payments/processor.ts';
import { CustomerNotReady, PaymentMethodSetupFailed } from '../problems.ts';
import { newPaymentMethod, type PaymentMethod } from './payment-method.ts';
import { presentPortalPaymentMethod } from './present.ts';
import { keepPaymentMethod } from './store.ts';

type AnyCall = Call<unknown, unknown, unknown>;

const setupPrefix = (customer: Customer) => `setup/${customer.id}/`;
/** Nothing is charged, so the currency says nothing. */
const NOTHING = { amount: 0, currency: 'usd' };

/** Saves the card behind a buyer's token, or answers with the second step it needs. */
export async function addPaymentMethod(
  call: AnyCall,
  app: App,
  customer: Customer,
  wanted: { confirmation_token_id: string; set_default: boolean },
) {
  const key = `${setupPrefix(customer)}${call.headers['idempotency-key'] ?? newId()}`;
  const outcome = await app.processor.confirm(key, wanted.confirmation_token_id, NOTHING);
  if (outcome.status === 'requires_action') {
    return { status: 'requires_action' as const, client_secret: outcome.clientSecret };
  }
  if (outcome.status === 'failed') throw new Problem(PaymentMethodSetupFailed, outcome.decline.message);
  return save(call, customer, outcome.method, wanted.set_default);
}

/** Saves a card whose second step is done. */
export async function confirmPaymentMethod(
  call: AnyCall,
  app: App,
  customer: Customer,
  wanted: { setup_intent_id: string; set_default: boolean },
) {
  const outcome = await readSetup(app, customer, wanted.setup_intent_id);
  if (outcome.status === 'requires_action') {
    throw new Problem(CustomerNotReady, 'The second step of this card has not been taken yet.');
  }
  if (outcome.status === 'failed') {
    throw invalid(
      ['body', 'setup_intent_id'],
      outcome.decline.message,
      'value_error',
      wanted.setup_intent_id,
    );
  }
  return save(call, customer, outcome.method, wanted.set_default);
}

/** The set-up, if it is this customer's. */
async function readSetup({ processor }: App, customer: Customer, intentId: string): Promise<Outcome> {
  const key = await processor.keyOf(intentId);
  const outcome = key?.startsWith(setupPrefix(customer)) ? await processor.read(key) : undefined;
  if (outcome) return outcome;
  throw invalid(['body', 'setup_intent_id'], 'No such set-up.', 'value_error', intentId);
}

function save(call: AnyCall, { id }: Customer, saved: SavedMethod, isDefault: boolean) {
  return call.transaction(async (tx) => {
    const customer = await lockCustomer(tx, id);
    const method = await keepPaymentMethod(tx, newPaymentMethod(customer, saved, call.now));
    if (isDefault || customer.default_payment_method_id === null) {
      await makeDefault(tx, customer, method, call.now);
    }
    return { status: 'succeeded' as const, payment_method: presentPortalPaymentMethod(method) };
  });
}

/** Charges go to this method from now on, those that failed before among them. */
export async function makeDefault(
  tx: Tx,
  customer: Customer,
  method: PaymentMethod,
  now: Date,
): Promise<Customer> {
  const changed = { ...customer, default_payment_method_id: method.id, modified_at: now };
  await saveCustomer(tx, changed, customerUpdated(customer, changed, now));
  await collectAgain(tx, customer.id, now);
  return changed;
}

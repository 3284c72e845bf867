import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound, Problem } from '@tributary/runtime/http/problem.ts';
import { customerUpdated } from '../customers/messages.ts';
import { lockCustomer, saveCustomer } from '../customers/store.ts';
import { PaymentMethodInUseByActiveSubscription } from '../problems.ts';
import { isFree } from '../products/price.ts';
import { lockLiveSubscriptions } from '../subscriptions/store.ts';
import { findPaymentMethod, newestOtherMethod, removePaymentMethod } from './store.ts';

/** Forgets a method; subscriptions that were paid with it go on with another one, and without one it has to stay. */
export async function removeMethod(tx: Tx, customerId: string, id: string, now: Date): Promise<void> {
  const customer = await lockCustomer(tx, customerId);
  const method = await findPaymentMethod(tx, customerId, id);
  if (!method) throw notFound('Payment method not found');
  const other = await newestOtherMethod(tx, customerId, id);
  if (!other && (await hasPaidSubscription(tx, customerId))) {
    throw new Problem(
      PaymentMethodInUseByActiveSubscription,
      'This is the only payment method, and a subscription is paid with it.',
    );
  }
  await removePaymentMethod(tx, method, now);
  if (customer.default_payment_method_id !== id) return;
  const changed = { ...customer, default_payment_method_id: other?.id ?? null, modified_at: now };
  await saveCustomer(tx, changed, customerUpdated(customer, changed, now));
}

async function hasPaidSubscription(tx: Tx, customerId: string): Promise<boolean> {
  const live = await lockLiveSubscriptions(tx, customerId);
  return live.some((subscription) => !isFree(subscription.prices));
}

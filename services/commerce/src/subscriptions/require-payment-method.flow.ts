import { Problem } from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import { findDefaultPaymentMethod } from '../payment-methods/store.ts';
import { PaymentMethodRequired } from '../problems.ts';
import { asksForMoney, type Subscription } from './subscription.ts';

/** Who goes on with what costs money needs a way to pay for it (409). */
export async function requirePaymentMethod(subscription: Subscription, app: App): Promise<void> {
  if (!asksForMoney(subscription)) return;
  if (await findDefaultPaymentMethod(app.db.manager, subscription.customer_id)) return;
  throw new Problem(PaymentMethodRequired, 'Save a payment method first.');
}

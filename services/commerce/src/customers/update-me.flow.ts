import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import { makeDefault } from '../payment-methods/save-method.flow.ts';
import { findPaymentMethod } from '../payment-methods/store.ts';
import type { Customer, CustomerChange } from './customer.ts';
import { getCustomer } from './store.ts';
import { updateCustomer } from './update-customer.flow.ts';

type OwnChange = Pick<CustomerChange, 'billing_name' | 'billing_address' | 'tax_id'> & {
  default_payment_method_id?: string | null;
};

/** Customers change their billing data, and which of their methods is charged. */
export async function updateMe(
  tx: Tx,
  { organization_id, customer_id }: { organization_id: string; customer_id: string },
  { default_payment_method_id: methodId, ...change }: OwnChange,
  now: Date,
): Promise<Customer> {
  const customer = await getCustomer(tx, [organization_id], { id: customer_id }, true);
  const changed = await updateCustomer(tx, customer, change, now);
  if (methodId == null || methodId === changed.default_payment_method_id) return changed;
  const method = await findPaymentMethod(tx, customer_id, methodId);
  if (method) return makeDefault(tx, changed, method, now);
  throw invalid(
    ['body', 'default_payment_method_id'],
    'Payment method does not exist.',
    'value_error',
    methodId,
  );
}

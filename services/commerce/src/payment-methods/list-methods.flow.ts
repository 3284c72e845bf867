import type { Principal } from '@tributary/proto/principal.ts';
import type { Page, Paging } from '@tributary/runtime/http/paging.ts';
import { requireBillingRole } from '@tributary/runtime/principal.ts';
import type { App } from '../app.ts';
import type { Customer } from '../customers/customer.ts';
import { type CustomerReference, getCustomer } from '../customers/store.ts';
import { reachable } from '../scope.ts';
import type { PaymentMethod } from './payment-method.ts';
import { listPaymentMethods } from './store.ts';

/** The methods of a customer the merchant reaches, with the customer, who knows which is the default. */
export async function methodsOf(
  { db }: App,
  principal: Principal,
  reference: CustomerReference,
  paging: Paging,
): Promise<{ customer: Customer; page: Page<PaymentMethod> }> {
  const customer = await getCustomer(db.manager, reachable(principal), reference);
  return { customer, page: await listPaymentMethods(db.manager, customer.id, paging) };
}

/** The customer of a portal session that may handle money. */
export function payer({ db }: App, principal: Principal): Promise<Customer> {
  const { organization_id, customer_id } = requireBillingRole(principal);
  return getCustomer(db.manager, [organization_id], { id: customer_id });
}

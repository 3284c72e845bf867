import type { Customer } from '../customers/customer.ts';
import { newCustomer } from '../customers/customer.ts';
import type { Checkout } from './checkout.ts';

/** A customer as the session describes them, for the first time. */
export const newBuyer = (checkout: Checkout, now: Date): Customer =>
  newCustomer(
    checkout.organization_id,
    {
      type: 'individual',
      email: checkout.customer_email,
      name: checkout.customer_name,
      external_id: checkout.external_customer_id,
    },
    now,
  );

/**
 * What was typed becomes the customer's: billing data and language are replaced, a name only fills a gap, metadata
 * is laid over what is there. What was left empty is taken back only where the form had shown it, filled in.
 */
export function takeOver(customer: Customer, checkout: Checkout, now: Date): Customer {
  const wasShown = checkout.customer_id === customer.id;
  return {
    ...customer,
    modified_at: now,
    name: customer.name ?? checkout.customer_name,
    billing_name: checkout.customer_billing_name ?? (wasShown ? null : customer.billing_name),
    billing_address: checkout.customer_billing_address ?? customer.billing_address,
    tax_id: checkout.customer_tax_id ?? (wasShown ? null : customer.tax_id),
    locale: checkout.locale ?? customer.locale,
    metadata: { ...customer.metadata, ...checkout.customer_metadata },
  };
}

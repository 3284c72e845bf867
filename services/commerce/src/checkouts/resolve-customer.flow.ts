import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { Problem } from '@tributary/runtime/http/problem.ts';
import { createCustomer } from '../customers/create-customer.flow.ts';
import type { Customer } from '../customers/customer.ts';
import { customerUpdated } from '../customers/messages.ts';
import { findCustomer, findCustomerByEmail, lockCustomer, saveCustomer } from '../customers/store.ts';
import { CheckoutCustomerDeleted, CheckoutCustomerExternalIdMismatch } from '../problems.ts';
import { newBuyer, takeOver } from './buyer.ts';
import type { Checkout, Offer } from './checkout.ts';

export interface ResolvedCustomer {
  customer: Customer;
  /** Found by a typed e-mail address alone, which anybody can type. */
  isUnproven: boolean;
}

/**
 * Who buys (domain rules 1.4): the linked customer, else the one of the external id, else the one of the e-mail
 * address, else a new one. The customer takes over what was typed; its row stays locked.
 */
export async function resolveCustomer(
  tx: Tx,
  checkout: Checkout,
  offer: Offer,
  now: Date,
): Promise<ResolvedCustomer> {
  await lockBuyer(tx, checkout);
  const known = await findKnown(tx, checkout);
  if (known) {
    const customer = await lockCustomer(tx, known.customer.id);
    if (customer.deleted_at !== null) throw deleted();
    const updated = takeOver(customer, checkout, now);
    await saveCustomer(tx, updated, customerUpdated(customer, updated, now));
    return { customer: updated, isUnproven: known.isUnproven };
  }
  const customer = takeOver(newBuyer(checkout, now), checkout, now);
  await createCustomer(tx, { ...customer, modified_at: null }, { organization: offer.organization }, now);
  return { customer, isUnproven: false };
}

/**
 * Two sessions of one new buyer, by the merchant's id or by e-mail address, come one after the other, so that the
 * second finds the customer. Ids are locked before addresses everywhere, so that nobody waits in a circle.
 */
async function lockBuyer(tx: Tx, checkout: Checkout): Promise<void> {
  const { organization_id, external_customer_id, customer_email, customer_id } = checkout;
  if (external_customer_id) await lockText(tx, `${organization_id} external ${external_customer_id}`);
  await lockText(tx, `${organization_id} ${customer_email?.toLowerCase() ?? customer_id}`);
}

const lockText = (tx: Tx, text: string): Promise<unknown> =>
  tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [text]);

async function findKnown(tx: Tx, checkout: Checkout): Promise<ResolvedCustomer | undefined> {
  const { organization_id, customer_id, external_customer_id, customer_email } = checkout;
  if (customer_id) {
    const customer = await findCustomer(tx, organization_id, { id: customer_id });
    if (!customer) throw deleted();
    return { customer, isUnproven: false };
  }
  if (external_customer_id) {
    const customer = await findCustomer(tx, organization_id, { external_id: external_customer_id });
    if (customer) return { customer, isUnproven: false };
  }
  const customer = customer_email && (await findCustomerByEmail(tx, organization_id, customer_email));
  if (!customer) return undefined;
  if (external_customer_id && customer.external_id !== null) {
    throw new Problem(
      CheckoutCustomerExternalIdMismatch,
      'A customer with this email address has another external ID.',
    );
  }
  return { customer, isUnproven: true };
}

const deleted = () => new Problem(CheckoutCustomerDeleted, 'The customer of this checkout has been deleted.');

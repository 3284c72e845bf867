import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { memberUpdated } from '../members/messages.ts';
import { findMember, saveMember } from '../members/store.ts';
import { type Customer, type CustomerChange, changeCustomer, sameEmail } from './customer.ts';
import { customerUpdated } from './messages.ts';
import { stateChangedSoon } from './state-changes.ts';
import { saveCustomer } from './store.ts';

/** Changes a customer whose row is locked; the owner of an individual customer is the customer, and changes along. */
export async function updateCustomer(
  tx: Tx,
  customer: Customer,
  change: CustomerChange,
  now: Date,
): Promise<Customer> {
  const changed = changeCustomer(customer, change, now);
  await saveCustomer(tx, changed, customerUpdated(customer, changed, now));
  await stateChangedSoon(tx, changed, now);
  if (changed.type === 'individual') await updateOwner(tx, customer, changed, now);
  return changed;
}

async function updateOwner(tx: Tx, before: Customer, customer: Customer, now: Date): Promise<void> {
  const isSame = sameEmail(before.email, customer.email) && before.name === customer.name;
  const owner = isSame ? undefined : await findMember(tx, customer.id, { role: 'owner' });
  if (!owner) return;
  const changed = { ...owner, email: customer.email ?? owner.email, name: customer.name, modified_at: now };
  await saveMember(tx, changed, memberUpdated(changed, now));
}

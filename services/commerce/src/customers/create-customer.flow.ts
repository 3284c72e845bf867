import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { type NewMember, newMember } from '../members/member.ts';
import { memberCreated } from '../members/messages.ts';
import { insertMember } from '../members/store.ts';
import { hasMembers, type OrganizationCopy } from '../organizations/organization.ts';
import type { Customer } from './customer.ts';
import { customerCreated } from './messages.ts';
import { stateChangedSoon } from './state-changes.ts';
import { insertCustomer } from './store.ts';

export interface CustomerSurroundings {
  organization: OrganizationCopy | undefined;
  /** Who owns it, where that is not the customer themselves. */
  owner?: NewMember | null;
}

/** Records a customer, with its owner where the organization has members. */
export async function createCustomer(
  tx: Tx,
  customer: Customer,
  { organization, owner }: CustomerSurroundings,
  now: Date,
): Promise<void> {
  await insertCustomer(tx, customer, customerCreated(customer, now));
  await stateChangedSoon(tx, customer, now);
  const email = owner?.email ?? customer.email;
  if (!hasMembers(organization) || email === null) return;
  const member = newMember(
    customer,
    { email, name: owner?.name ?? customer.name, external_id: owner?.external_id, role: 'owner' },
    now,
  );
  await insertMember(tx, member, memberCreated(member, now));
}

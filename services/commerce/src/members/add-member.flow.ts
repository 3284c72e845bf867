import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import type { Customer } from '../customers/customer.ts';
import { lockCustomer } from '../customers/store.ts';
import { hasMembers } from '../organizations/organization.ts';
import { type Member, type NewMember, newMember, requireTeam } from './member.ts';
import { memberCreated } from './messages.ts';
import { findMember, insertMember } from './store.ts';

/** Whether the customer's organization works with members; may ask identity. */
export async function areMembersEnabled(app: App, organizationId: string): Promise<boolean> {
  const organizations = await app.replicas.organizations.get(app.db.manager, [organizationId]);
  return hasMembers(organizations.get(organizationId));
}

/**
 * Takes somebody into a team. Whoever is in it already is found instead: asking twice adds one.
 * @returns the member, and whether it is new
 */
export async function addMember(
  tx: Tx,
  customer: Customer,
  input: NewMember,
  isEnabled: boolean,
  now: Date,
): Promise<{ member: Member; isNew: boolean }> {
  const locked = await lockCustomer(tx, customer.id);
  requireTeam(locked, isEnabled);
  const known = await findMember(tx, locked.id, { email: input.email });
  if (known) return { member: known, isNew: false };
  const member = newMember(locked, input, now);
  await insertMember(tx, member, memberCreated(member, now));
  return { member, isNew: true };
}

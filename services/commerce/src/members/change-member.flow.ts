import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import { revokeSeats } from '../customer-seats/revoke-seats.flow.ts';
import { lockCustomer } from '../customers/store.ts';
import { changeMember, deleteMember, type Member, type MemberChange } from './member.ts';
import { memberDeleted, memberUpdated } from './messages.ts';
import { findMember, getMember, type MemberReference, saveMember } from './store.ts';

/** Changes a member of a customer; one who becomes owner takes the place of the former. */
export async function updateMember(
  tx: Tx,
  customerId: string,
  reference: MemberReference,
  change: MemberChange,
  now: Date,
): Promise<Member> {
  await lockCustomer(tx, customerId);
  const member = await getMember(tx, customerId, reference);
  const owner = await findMember(tx, customerId, { role: 'owner' });
  const { next, formerOwner } = changeMember(member, owner, change, now);
  // The former owner first: at no moment does the customer have two.
  if (formerOwner) await saveMember(tx, formerOwner, memberUpdated(formerOwner, now));
  await saveMember(tx, next, memberUpdated(next, now));
  return next;
}

/** Takes a member out of a customer, with the seats they hold. */
export async function removeMemberOf(
  tx: Tx,
  customerId: string,
  reference: MemberReference,
  now: Date,
): Promise<Member> {
  await lockCustomer(tx, customerId);
  const member = deleteMember(await getMember(tx, customerId, reference), now);
  await revokeSeats(tx, { member_id: member.id }, now);
  await saveMember(tx, member, memberDeleted(member, now));
  return member;
}

/**
 * Ends the sessions of those whose role is about to change: a session remembers the role it was made with. Refuses
 * what the change itself would refuse; should it fail after all, they only have to sign in again.
 */
export async function prepareChange(
  app: App,
  customerId: string,
  reference: MemberReference,
  change: MemberChange,
  now: Date,
): Promise<void> {
  const member = await getMember(app.db.manager, customerId, reference);
  const owner = await findMember(app.db.manager, customerId, { role: 'owner' });
  const { next, formerOwner } = changeMember(member, owner, change, now);
  if (next.role !== member.role) await endSessions(app, formerOwner ? [member, formerOwner] : [member]);
}

/** The same for somebody who is about to leave. */
export async function prepareRemoval(
  app: App,
  customerId: string,
  reference: MemberReference,
  now: Date,
): Promise<void> {
  const member = await getMember(app.db.manager, customerId, reference);
  deleteMember(member, now);
  await endSessions(app, [member]);
}

async function endSessions(app: App, members: readonly Member[]): Promise<void> {
  for (const { customer_id, id } of members) await app.sessions.endSessions({ customer_id, member_id: id });
}

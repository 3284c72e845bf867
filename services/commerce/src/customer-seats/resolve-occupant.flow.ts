import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { Problem } from '@tributary/runtime/http/problem.ts';
import { type Customer, newCustomer, sameEmail } from '../customers/customer.ts';
import { customerCreated } from '../customers/messages.ts';
import { findCustomer, findCustomerByEmail, insertCustomer } from '../customers/store.ts';
import { type Member, newMember } from '../members/member.ts';
import { memberCreated } from '../members/messages.ts';
import { findMember, insertMember } from '../members/store.ts';
import { InvalidSeatAssignmentRequest, MemberEmailMismatch } from '../problems.ts';
import { type NamedOccupant, type Occupant, requireOneOccupant } from './customer-seat.ts';

/**
 * Finds who a seat is for, or takes them in: as a member of the buyer, whose row is locked, or where the organization
 * has no members as a customer of its own.
 */
export async function resolveOccupant(
  tx: Tx,
  buyer: Customer,
  named: NamedOccupant,
  hasMembers: boolean,
  now: Date,
): Promise<Occupant> {
  requireOneOccupant(named);
  if (!hasMembers) {
    const { id, email } = await resolveCustomer(tx, buyer.organization_id, named, now);
    return { customer_id: id, member_id: null, email };
  }
  const { id, email } = await resolveMember(tx, buyer, named, now);
  return { customer_id: buyer.id, member_id: id, email };
}

async function resolveMember(tx: Tx, buyer: Customer, named: NamedOccupant, now: Date): Promise<Member> {
  const known = await namedMember(tx, buyer.id, named);
  if (known) {
    if (named.email !== null && !sameEmail(known.email, named.email)) throw mismatch();
    return known;
  }
  const email = named.email ?? (await namedCustomer(tx, buyer.organization_id, named))?.email ?? null;
  if (email === null) throw unknown();
  const sameAddress = await findMember(tx, buyer.id, { email });
  if (sameAddress) {
    if (named.external_member_id !== null) throw mismatch();
    return sameAddress;
  }
  const member = newMember(buyer, { email, external_id: named.external_member_id }, now);
  await insertMember(tx, member, memberCreated(member, now));
  return member;
}

/** The member named by an id; an unknown id is refused, unless an e-mail says whom to take in under it. */
async function namedMember(tx: Tx, buyerId: string, named: NamedOccupant): Promise<Member | undefined> {
  const { member_id, external_member_id } = named;
  if (member_id === null && external_member_id === null) return undefined;
  const reference = member_id !== null ? { id: member_id } : { external_id: external_member_id! };
  const member = await findMember(tx, buyerId, reference);
  if (!member && (member_id !== null || named.email === null)) throw unknown();
  return member;
}

async function resolveCustomer(
  tx: Tx,
  organizationId: string,
  named: NamedOccupant,
  now: Date,
): Promise<Customer> {
  const customer =
    named.email === null
      ? await namedCustomer(tx, organizationId, named)
      : await findCustomerByEmail(tx, organizationId, named.email);
  if (customer) return customer;
  if (named.email === null || named.external_member_id !== null) throw unknown();
  const created = newCustomer(organizationId, { email: named.email }, now);
  await insertCustomer(tx, created, customerCreated(created, now));
  return created;
}

async function namedCustomer(
  tx: Tx,
  organizationId: string,
  { customer_id, external_customer_id }: NamedOccupant,
): Promise<Customer | undefined> {
  if (customer_id !== null) return findCustomer(tx, organizationId, { id: customer_id });
  if (external_customer_id !== null)
    return findCustomer(tx, organizationId, { external_id: external_customer_id });
  return undefined;
}

const unknown = () =>
  new Problem(InvalidSeatAssignmentRequest, 'Nobody is known by what names the occupant of the seat.');
const mismatch = () =>
  new Problem(MemberEmailMismatch, 'The member and the email address belong to different people.');

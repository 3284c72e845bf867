import { newId } from '@tributary/proto/id.ts';
import { memberRoles } from '@tributary/proto/principal.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { invalid, NotPermitted, Problem } from '@tributary/runtime/http/problem.ts';
import { anonymousEmail, anonymousName, type Customer } from '../customers/customer.ts';

export { memberRoles };
export type MemberRole = (typeof memberRoles)[number];

/** A person who acts for a customer. Every customer has exactly one owner. */
export interface Member extends Recorded {
  organization_id: string;
  customer_id: string;
  deleted_at: Date | null;
  email: string;
  name: string | null;
  external_id: string | null;
  role: MemberRole;
}

export interface NewMember {
  email: string;
  name?: string | null;
  external_id?: string | null;
  role?: MemberRole;
}

export function newMember(
  customer: Pick<Customer, 'id' | 'organization_id'>,
  input: NewMember,
  now: Date,
): Member {
  return {
    id: newId(),
    created_at: now,
    modified_at: null,
    deleted_at: null,
    organization_id: customer.organization_id,
    customer_id: customer.id,
    email: input.email,
    name: input.name ?? null,
    external_id: input.external_id ?? null,
    role: input.role ?? 'member',
  };
}

/** Refuses (403) members where the feature is off and where the customer is one person, who is its owner. */
export function requireTeam(customer: Customer, isEnabled: boolean): void {
  if (!isEnabled) throw new Problem(NotPermitted, 'Members are not enabled for this organization.');
  if (customer.type === 'individual') {
    throw new Problem(NotPermitted, 'An individual customer has no members besides its owner.');
  }
}

export interface MemberChange {
  name?: string | null;
  email?: string | null;
  role?: MemberRole | null;
}

/**
 * The member after the change, and the former owner where the member takes its place. The only owner cannot step
 * down (422): somebody has to be promoted instead.
 */
export function changeMember(
  member: Member,
  owner: Member | undefined,
  change: MemberChange,
  now: Date,
): { next: Member; formerOwner?: Member } {
  const role = change.role ?? member.role;
  if (member.role === 'owner' && role !== 'owner') {
    throw invalid(
      ['body', 'role'],
      'A customer needs an owner: promote another member first.',
      'value_error',
      role,
    );
  }
  const next: Member = {
    ...member,
    modified_at: now,
    name: change.name === undefined ? member.name : change.name,
    email: change.email ?? member.email,
    role,
  };
  if (role !== 'owner' || member.role === 'owner' || !owner) return { next };
  return { next, formerOwner: { ...owner, modified_at: now, role: 'billing_manager' } };
}

/** Refuses (422) to leave a customer without its owner. */
export function deleteMember(member: Member, now: Date): Member {
  if (member.role === 'owner') {
    throw invalid(
      ['path', 'member_id'],
      'The owner of a customer cannot be deleted.',
      'value_error',
      member.id,
    );
  }
  return removeMember(member, now);
}

/** The member goes with its customer. */
export const removeMember = (member: Member, now: Date): Member => ({
  ...member,
  deleted_at: now,
  modified_at: now,
});

export const anonymizeMember = (member: Member, now: Date): Member => ({
  ...member,
  modified_at: now,
  email: anonymousEmail(member.email),
  name: anonymousName(member.name),
  external_id: null,
});

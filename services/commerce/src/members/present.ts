import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { Member } from './member.ts';

export const presentMember = (member: Member) => ({
  ...presentRecorded(member),
  customer_id: member.customer_id,
  email: member.email,
  name: member.name,
  external_id: member.external_id,
  role: member.role,
});

/** The member as other members of its team see it. */
export const presentPortalMember = (member: Member) => ({
  ...presentRecorded(member),
  email: member.email,
  name: member.name,
  role: member.role,
});

/** The member on its state topic: with the organization it belongs to. */
export const presentMemberState = (member: Member) => ({
  ...presentMember(member),
  organization_id: member.organization_id,
});

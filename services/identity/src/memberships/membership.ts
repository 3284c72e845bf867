import type { organizationRoles } from '@tributary/proto/principal.ts';

export type OrganizationRole = (typeof organizationRoles)[number];

/** An organization that a user works for, and as what. */
export interface Membership {
  id: string;
  role: OrganizationRole;
}

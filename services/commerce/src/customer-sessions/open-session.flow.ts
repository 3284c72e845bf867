import type { Session } from '@tributary/proto/gen/identity/v1/identity.ts';
import type { App } from '../app.ts';
import { findMember } from '../members/store.ts';
import { hasMembers, type OrganizationCopy } from '../organizations/organization.ts';

/** Mints a session for a customer: its owner's where the organization has members, else the customer's own. */
export async function openSession(
  app: App,
  customer: { customer_id: string; return_url?: string },
  organization: OrganizationCopy,
): Promise<Session> {
  const owner = hasMembers(organization)
    ? await findMember(app.db.manager, customer.customer_id, { role: 'owner' })
    : undefined;
  return app.sessions.createSession({
    organization_id: organization.id,
    ...customer,
    member_id: owner?.id,
    member_role: owner?.role,
  });
}

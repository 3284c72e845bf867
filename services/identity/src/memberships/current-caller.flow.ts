import type { Principal } from '@tributary/proto/principal.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Membership } from './membership.ts';
import { membershipsOf } from './store.ts';

/**
 * The caller with the memberships of this moment. They are kept here, and a principal may be some seconds old: who
 * makes an organization sees it in the next request.
 */
export async function withMemberships(db: Pick<Reader, 'query'>, principal: Principal): Promise<Principal> {
  if (principal.kind !== 'user') return principal;
  const current = await membershipsOf(db, principal.user_id);
  const isWithinLimit = ({ id }: Membership) =>
    !principal.is_limited || principal.organizations.some((organization) => organization.id === id);
  return { ...principal, organizations: current.filter(isWithinLimit) };
}

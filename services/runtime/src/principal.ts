import type { Principal, PrincipalOf } from '@tributary/proto/principal.ts';
import { invalid, NotPermitted, Problem, Unauthorized, ValidationProblem } from './http/problem.ts';

/** The organizations a merchant-side caller reaches; empty for customers, members and anonymous callers. */
export function organizationsOf(principal: Principal): string[] {
  if (principal.kind === 'organization') return [principal.organization_id];
  if (principal.kind === 'user') return principal.organizations.map((organization) => organization.id);
  return [];
}

/**
 * The organization a new record belongs to (domain rules 0.4): forbidden in the body with an organization token,
 * required with a user token unless that is limited to exactly one organization. 422 at `loc` otherwise.
 */
export function owningOrganization(
  principal: Principal,
  requested: string | null | undefined,
  loc: (string | number)[] = ['body', 'organization_id'],
): string {
  const reachable = organizationsOf(principal);
  if (principal.kind === 'organization') {
    if (requested != null) {
      throw invalid(
        loc,
        'Setting organization_id is disallowed when using an organization token.',
        'organization_token',
      );
    }
    return principal.organization_id;
  }
  if (requested == null) {
    if (principal.kind === 'user' && principal.is_limited && reachable.length === 1) return reachable[0]!;
    throw new ValidationProblem([{ loc, msg: 'Field required', type: 'missing' }]);
  }
  if (!reachable.includes(requested)) throw invalid(loc, 'Organization not found.', 'value_error', requested);
  return requested;
}

/** Refuses (403 NotPermitted) a user who only has read access through their role in the organization. */
export function requireAdministrator(principal: Principal, organizationId: string): void {
  if (principal.kind !== 'user') return;
  const membership = principal.organizations.find((organization) => organization.id === organizationId);
  if (membership?.role === 'member')
    throw new Problem(NotPermitted, 'Your role in this organization does not allow this.');
}

/** The customer or member behind a portal route. */
export function portalPrincipal(principal: Principal): PrincipalOf<'customer'> | PrincipalOf<'member'> {
  if (principal.kind === 'customer' || principal.kind === 'member') return principal;
  throw new Problem(Unauthorized, 'A customer or member session is required.');
}

/** Refuses (403 NotPermitted) a member without a billing role; a customer session may do everything. */
export function requireBillingRole(principal: Principal): PrincipalOf<'customer'> | PrincipalOf<'member'> {
  const caller = portalPrincipal(principal);
  if (caller.kind === 'member' && caller.role === 'member') {
    throw new Problem(NotPermitted, 'Only the owner or a billing manager may do this.');
  }
  return caller;
}

/** A stable name of the caller, the owner of its idempotency keys and rate-limit counters. */
export function principalKey(principal: Principal): string {
  switch (principal.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'user':
      return principal.client_id
        ? `client:${principal.client_id}:${principal.user_id}`
        : `user:${principal.user_id}`;
    case 'organization':
      return `organization:${principal.organization_id}`;
    case 'customer':
      return `customer:${principal.customer_id}`;
    case 'member':
      return `member:${principal.member_id}`;
  }
}

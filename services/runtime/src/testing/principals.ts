import { type Scope, scopes } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Principal, PrincipalOf } from '@tributary/proto/principal.ts';

/** Callers for tests. All scopes unless some are named. */

export const organizationToken = (
  organization_id: string,
  granted: readonly Scope[] = scopes,
): PrincipalOf<'organization'> => ({
  kind: 'organization',
  scheme: 'oat',
  organization_id,
  scopes: [...granted],
  token_id: newId(),
});

export const personalToken = (
  organizationIds: readonly string[],
  granted: readonly Scope[] = scopes,
): PrincipalOf<'user'> => ({
  kind: 'user',
  scheme: 'pat',
  user_id: newId(),
  client_id: null,
  organizations: organizationIds.map((id) => ({ id, role: 'owner' as const })),
  is_limited: false,
  scopes: [...granted],
  token_id: newId(),
});

/** A user who may read an organization and change nothing in it. */
export const readerOf = (organizationId: string): PrincipalOf<'user'> => ({
  ...personalToken([]),
  organizations: [{ id: organizationId, role: 'member' }],
});

export const customerSession = (organization_id: string, customer_id: string): PrincipalOf<'customer'> => ({
  kind: 'customer',
  scheme: 'customer_session',
  organization_id,
  customer_id,
  scopes: ['customer_portal:read', 'customer_portal:write'],
  token_id: newId(),
});

export const memberSession = (
  organization_id: string,
  customer_id: string,
  member_id: string,
  role: PrincipalOf<'member'>['role'] = 'member',
): PrincipalOf<'member'> => ({
  kind: 'member',
  scheme: 'member_session',
  organization_id,
  customer_id,
  member_id,
  role,
  scopes: ['customer_portal:read', 'customer_portal:write'],
  token_id: newId(),
});

export const nobody: Principal = { kind: 'anonymous' };

import type { z } from 'zod';
import type { Organization } from '../../organizations/organization.ts';
import type { User } from '../../users/user.ts';
import { presentPublicClient } from '../clients/present.ts';
import { scopeDisplayNames } from '../scope.ts';
import type { AuthorizationRequest } from './request.ts';
import type { AuthorizeResponse } from './schema.ts';

export type Pickable = Pick<Organization, 'id' | 'slug' | 'avatar_url'>;

/** The request as the user is asked about it. */
export function presentRequest(
  request: AuthorizationRequest,
  user: Pick<User, 'id' | 'email' | 'avatar_url'>,
  organizations: readonly Pickable[],
): z.input<typeof AuthorizeResponse> {
  const pickable = organizations.map(({ id, slug, avatar_url }) => ({ id, slug, avatar_url }));
  const common = {
    client: presentPublicClient(request.client),
    scopes: request.scopes,
    organizations: pickable,
    scope_display_names: { ...scopeDisplayNames },
  };
  if (request.sub_type === 'organization') {
    const sub = pickable.find(({ id }) => id === request.sub) ?? null;
    return { ...common, sub_type: 'organization', sub, requires_single_organization: true };
  }
  const { id, email, avatar_url } = user;
  return { ...common, sub_type: 'user', sub: { id, email, avatar_url }, requires_single_organization: false };
}

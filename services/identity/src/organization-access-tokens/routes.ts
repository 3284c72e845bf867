import { merchant } from '@tributary/proto/access.ts';
import { presentPage } from '@tributary/runtime/http/paging.ts';
import { NotPermitted, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { organizationsOf, owningOrganization, requireAdministrator } from '@tributary/runtime/principal.ts';
import { hashToken, mintToken } from '@tributary/runtime/token.ts';
import { z } from 'zod';
import { changeAccessToken, newAccessToken, requireOwnScopes } from '../access-tokens/access-token.ts';
import { presentAccessToken } from '../access-tokens/present.ts';
import { route } from '../app.ts';
import { tokenPrefixes } from '../introspection/token-kinds.ts';
import { withMemberships } from '../memberships/current-caller.flow.ts';
import {
  OrganizationAccessToken,
  OrganizationAccessTokenCreate,
  OrganizationAccessTokenCreated,
  OrganizationAccessTokenList,
  OrganizationAccessTokenQuery,
  OrganizationAccessTokenUpdate,
} from './schema.ts';
import {
  deleteOrganizationToken,
  insertOrganizationToken,
  listOrganizationTokens,
  lockOrganizationToken,
  saveOrganizationToken,
  type OrganizationAccessToken as Token,
} from './store.ts';

const params = z.object({ id: Id });
const reading = merchant('organization_access_tokens:read', 'organization_access_tokens:write');
const writing = merchant('organization_access_tokens:write');

const present = (token: Token) => ({
  ...presentAccessToken(token),
  organization_id: token.organization_id,
});

export const organizationAccessTokenRoutes = [
  route({
    method: 'GET',
    path: '/v1/organization-access-tokens/',
    operation: 'organization_access_tokens:list',
    summary: 'List organization access tokens',
    access: reading,
    query: OrganizationAccessTokenQuery,
    response: OrganizationAccessTokenList,
    async handle({ principal, query }, app) {
      const reach = organizationsOf(await withMemberships(app.db, principal));
      return presentPage(await listOrganizationTokens(app.db.manager, reach, query), query, present);
    },
  }),
  route({
    method: 'POST',
    path: '/v1/organization-access-tokens/',
    operation: 'organization_access_tokens:create',
    summary: 'Create organization access token',
    access: writing,
    status: 201,
    body: OrganizationAccessTokenCreate,
    response: OrganizationAccessTokenCreated,
    problems: [NotPermitted],
    handle: ({ principal, body, now, transaction }, app) =>
      transaction(async (tx) => {
        const caller = await withMemberships(tx, principal);
        const organization_id = owningOrganization(caller, body.organization_id);
        requireAdministrator(caller, organization_id);
        requireOwnScopes(principal, body.scopes);
        const secret = mintToken(tokenPrefixes.organization);
        const common = newAccessToken(body, hashToken(secret, app.tokenSecret), now);
        const token = { ...common, organization_id };
        await insertOrganizationToken(tx, token);
        return { organization_access_token: present(token), token: secret };
      }),
  }),
  route({
    method: 'PATCH',
    path: '/v1/organization-access-tokens/{id}',
    operation: 'organization_access_tokens:update',
    summary: 'Update organization access token',
    access: writing,
    params,
    body: OrganizationAccessTokenUpdate,
    response: OrganizationAccessToken,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ principal, params, body, now, transaction }) =>
      transaction(async (tx) => {
        const caller = await withMemberships(tx, principal);
        const token = await lockOrganizationToken(tx, params.id, organizationsOf(caller));
        requireAdministrator(caller, token.organization_id);
        requireOwnScopes(principal, body.scopes ?? []);
        const after = changeAccessToken(token, body, now);
        await saveOrganizationToken(tx, after);
        return present(after);
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/organization-access-tokens/{id}',
    operation: 'organization_access_tokens:delete',
    summary: 'Delete organization access token',
    access: writing,
    status: 204,
    params,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ principal, params, transaction }) =>
      transaction(async (tx) => {
        const caller = await withMemberships(tx, principal);
        const token = await lockOrganizationToken(tx, params.id, organizationsOf(caller));
        requireAdministrator(caller, token.organization_id);
        await deleteOrganizationToken(tx, token);
      }),
  }),
];

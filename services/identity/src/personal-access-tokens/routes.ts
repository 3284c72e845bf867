import { userOnly } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { presentPage } from '@tributary/runtime/http/paging.ts';
import { NotPermitted, Problem, ResourceNotFound, Unauthorized } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { hashToken, mintToken } from '@tributary/runtime/token.ts';
import { z } from 'zod';
import {
  changeAccessToken,
  newAccessToken,
  refuseApplications,
  requireOwnScopes,
} from '../access-tokens/access-token.ts';
import { presentAccessToken } from '../access-tokens/present.ts';
import { route } from '../app.ts';
import { tokenPrefixes } from '../introspection/token-kinds.ts';
import {
  PersonalAccessToken,
  PersonalAccessTokenCreate,
  PersonalAccessTokenCreated,
  PersonalAccessTokenList,
  PersonalAccessTokenQuery,
  PersonalAccessTokenUpdate,
} from './schema.ts';
import {
  deletePersonalToken,
  insertPersonalToken,
  listPersonalTokens,
  lockPersonalToken,
  savePersonalToken,
  type PersonalAccessToken as Token,
} from './store.ts';

const params = z.object({ id: Id });
const reading = userOnly('user:read', 'user:write');
const writing = userOnly('user:write');

const present = (token: Token) => ({ ...presentAccessToken(token), user_id: token.user_id });

/** The user who manages their own tokens, in person: no application does it for them. */
function ownerOf(principal: Principal): string {
  if (principal.kind !== 'user') throw new Problem(Unauthorized, 'Not authenticated');
  refuseApplications(principal);
  return principal.user_id;
}

export const personalAccessTokenRoutes = [
  route({
    method: 'GET',
    path: '/v1/personal-access-tokens/',
    operation: 'personal_access_tokens:list',
    summary: 'List personal access tokens',
    access: reading,
    query: PersonalAccessTokenQuery,
    response: PersonalAccessTokenList,
    problems: [NotPermitted],
    handle: async ({ principal, query }, app) =>
      presentPage(await listPersonalTokens(app.db.manager, ownerOf(principal), query), query, present),
  }),
  route({
    method: 'POST',
    path: '/v1/personal-access-tokens/',
    operation: 'personal_access_tokens:create',
    summary: 'Create personal access token',
    access: writing,
    status: 201,
    body: PersonalAccessTokenCreate,
    response: PersonalAccessTokenCreated,
    problems: [NotPermitted],
    handle: ({ principal, body, now, transaction }, app) =>
      transaction(async (tx) => {
        const user_id = ownerOf(principal);
        requireOwnScopes(principal, body.scopes);
        const secret = mintToken(tokenPrefixes.personal);
        const token = { ...newAccessToken(body, hashToken(secret, app.tokenSecret), now), user_id };
        await insertPersonalToken(tx, token);
        return { personal_access_token: present(token), token: secret };
      }),
  }),
  route({
    method: 'PATCH',
    path: '/v1/personal-access-tokens/{id}',
    operation: 'personal_access_tokens:update',
    summary: 'Update personal access token',
    access: writing,
    params,
    body: PersonalAccessTokenUpdate,
    response: PersonalAccessToken,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ principal, params, body, now, transaction }) =>
      transaction(async (tx) => {
        const token = await lockPersonalToken(tx, params.id, ownerOf(principal));
        requireOwnScopes(principal, body.scopes ?? []);
        const after = changeAccessToken(token, body, now);
        await savePersonalToken(tx, after);
        return present(after);
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/personal-access-tokens/{id}',
    operation: 'personal_access_tokens:delete',
    summary: 'Delete personal access token',
    access: writing,
    status: 204,
    params,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ principal, params, transaction }) =>
      transaction(async (tx) => {
        await deletePersonalToken(tx, await lockPersonalToken(tx, params.id, ownerOf(principal)));
      }),
  }),
];

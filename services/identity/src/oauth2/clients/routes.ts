import { anonymous } from '@tributary/proto/access.ts';
import type { Principal, PrincipalOf } from '@tributary/proto/principal.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import {
  invalid,
  notFound,
  Problem,
  ResourceNotFound,
  Unauthorized,
} from '@tributary/runtime/http/problem.ts';
import { hashToken, isSameSecret, mintToken } from '@tributary/runtime/token.ts';
import { z } from 'zod';
import { type App, route } from '../../app.ts';
import { tokenPrefixes } from '../../introspection/token-kinds.ts';
import { parseScopes, requestableScopes } from '../scope.ts';
import { type Client, type ClientMetadata, newClient, reregister } from './client.ts';
import { presentClient } from './present.ts';
import { ClientConfiguration, ClientConfigurationUpdate, ClientInformation } from './schema.ts';
import { deleteClient, insertClient, lockClient, saveClient } from './store.ts';

const params = z.object({ client_id: z.string().max(100) });
const problems = [Unauthorized, ResourceNotFound];

/** The registration token a request brings. The gateway passes it on as it is: it names no caller. */
const registrationToken = (authorization: string | undefined): string | undefined =>
  /^bearer +(trb_crt_\w+)$/i.exec(authorization ?? '')?.[1];

/** Registration is open to everybody and to users, who then own the client; not to other kinds of callers. */
function registrantOf(principal: Principal): PrincipalOf<'user'> | undefined {
  if (principal.kind === 'anonymous') return undefined;
  if (principal.kind !== 'user') throw new Problem(Unauthorized, 'Not authenticated');
  return principal.client_id === null ? principal : undefined;
}

interface Managed {
  client: Client;
  /** Given back to who brought it: only its hash is kept. */
  registration_access_token?: string;
}

/** The client, for who holds its registration token (RFC 7592, 2) or owns it; locked for a change. */
async function lockManaged(
  tx: Tx,
  app: App,
  call: { params: { client_id: string }; principal: Principal; headers: { authorization?: string } },
): Promise<Managed> {
  const registration_access_token = registrationToken(call.headers.authorization);
  const user = registrantOf(call.principal);
  if (!registration_access_token && !user) throw new Problem(Unauthorized, 'Not authenticated');
  const client = await lockClient(tx, call.params.client_id);
  if (registration_access_token) {
    const given = hashToken(registration_access_token, app.tokenSecret);
    if (!client || !isSameSecret(given, client.registration_token_hash)) {
      throw new Problem(Unauthorized, 'The registration token is not that of this client.');
    }
    return { client, registration_access_token };
  }
  if (!client || client.user_id !== user!.user_id || !user!.scopes.includes('user:write')) throw notFound();
  return { client };
}

const toMetadata = ({ scope, ...rest }: z.output<typeof ClientConfiguration>): ClientMetadata => ({
  ...rest,
  scopes: parseScopes(scope, requestableScopes)!,
});

export const clientRoutes = [
  route({
    method: 'POST',
    path: '/v1/oauth2/register',
    operation: 'oauth2:clients:oauth2:create_client',
    summary: 'Register client',
    access: anonymous,
    status: 201,
    body: ClientConfiguration,
    response: ClientInformation,
    handle: ({ principal, body, now, transaction }, app) =>
      transaction(async (tx) => {
        const user = registrantOf(principal);
        const registration_access_token = mintToken(tokenPrefixes.registration);
        const secret =
          body.token_endpoint_auth_method === 'none' ? undefined : mintToken(tokenPrefixes.client_secret);
        const client = newClient(
          {
            client_id: mintToken(tokenPrefixes.client_id),
            client_secret_hash: secret ? hashToken(secret, app.tokenSecret) : null,
            registration_token_hash: hashToken(registration_access_token, app.tokenSecret),
            user_id: user?.user_id ?? null,
            is_first_party: false,
          },
          toMetadata(body),
          now,
        );
        await insertClient(tx, client);
        return presentClient(client, app.publicUrl, {
          ...(secret ? { client_secret: secret } : {}),
          registration_access_token,
        });
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/oauth2/register/{client_id}',
    operation: 'oauth2:clients:oauth2:get_client',
    summary: 'Get client',
    access: anonymous,
    params,
    response: ClientInformation,
    problems,
    handle: (call, app) =>
      call.transaction(async (tx) => {
        const { client, registration_access_token } = await lockManaged(tx, app, call);
        return presentClient(client, app.publicUrl, { registration_access_token });
      }),
  }),
  route({
    method: 'PUT',
    path: '/v1/oauth2/register/{client_id}',
    operation: 'oauth2:clients:oauth2:update_client',
    summary: 'Update client',
    access: anonymous,
    params,
    body: ClientConfigurationUpdate,
    response: ClientInformation,
    problems,
    handle: (call, app) =>
      call.transaction(async (tx) => {
        const { client, registration_access_token } = await lockManaged(tx, app, call);
        const { client_id, ...configuration } = call.body;
        if (client_id !== client.client_id) {
          throw invalid(['body', 'client_id'], 'The id of a client cannot change.', 'value_error', client_id);
        }
        const { secret, hash } = secretAfter(client, configuration.token_endpoint_auth_method, app);
        const after = reregister(client, toMetadata(configuration), hash, call.now);
        await saveClient(tx, after);
        return presentClient(after, app.publicUrl, { client_secret: secret, registration_access_token });
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/oauth2/register/{client_id}',
    operation: 'oauth2:clients:oauth2:delete_client',
    summary: 'Delete client',
    access: anonymous,
    status: 204,
    params,
    problems,
    handle: (call, app) =>
      call.transaction(async (tx) => {
        const { client } = await lockManaged(tx, app, call);
        await deleteClient(tx, client);
      }),
  }),
];

/** A client keeps its secret; one that was public gets a secret, one that turns public loses it. */
function secretAfter(
  client: Client,
  method: Client['token_endpoint_auth_method'],
  app: App,
): { secret?: string; hash: string | null } {
  if (method === 'none') return { hash: null };
  if (client.client_secret_hash) return { hash: client.client_secret_hash };
  const secret = mintToken(tokenPrefixes.client_secret);
  return { secret, hash: hashToken(secret, app.tokenSecret) };
}

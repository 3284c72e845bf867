import { anonymous } from '@tributary/proto/access.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { Reply } from '@tributary/runtime/http/reply.ts';
import { hashToken } from '@tributary/runtime/token.ts';
import { type App, route } from '../../app.ts';
import {
  findLivingToken,
  revokeAccessToken,
  revokeAuthorization,
  type TokenFacts,
} from '../authorizations/store.ts';
import { authenticateClient } from '../clients/authenticate-client.flow.ts';
import type { Client } from '../clients/client.ts';
import { type Form, readForm, required } from '../form.ts';
import { answering, noStore, OAuthError } from '../oauth-error.ts';
import { exchangeCode, type Granted } from './exchange-code.flow.ts';
import { idTokenFor } from './id-token.flow.ts';
import { refreshTokens } from './refresh-tokens.flow.ts';
import {
  IntrospectTokenRequest,
  IntrospectTokenResponse,
  RevokeTokenRequest,
  RevokeTokenResponse,
  TokenRequest,
  TokenResponse,
} from './schema.ts';
import { grantToSession } from './session-grant.flow.ts';

type Grant = (app: App, client: Client, form: Form, now: Date) => Promise<Granted>;

const grants: Readonly<Record<string, Grant>> = {
  authorization_code: exchangeCode,
  refresh_token: refreshTokens,
  web: grantToSession,
};

async function presentGranted(app: App, { issued, authorization }: Granted, now: Date) {
  const id_token = await idTokenFor(app, authorization, issued, now);
  return {
    access_token: issued.access_token,
    token_type: 'Bearer' as const,
    expires_in: issued.expires_in,
    scope: issued.scopes.join(' '),
    ...(issued.refresh_token ? { refresh_token: issued.refresh_token } : {}),
    ...(id_token ? { id_token } : {}),
  };
}

/** A living token of this client; a token of another client is as good as none. */
async function ownToken(app: App, client: Client, form: Form, now: Date): Promise<TokenFacts | undefined> {
  const facts = await findLivingToken(app.db, hashToken(required(form, 'token'), app.tokenSecret), now);
  return facts?.client_id === client.client_id ? facts : undefined;
}

const seconds = (instant: Date) => Math.floor(instant.getTime() / 1000);

const presentFacts = (facts: TokenFacts, issuer: string) => ({
  active: true,
  client_id: facts.client_id,
  token_type: facts.token_type,
  scope: facts.scopes.join(' '),
  sub_type: 'user' as const,
  sub: facts.user_id,
  organizations: facts.organizations,
  aud: facts.client_id,
  iss: issuer,
  iat: seconds(facts.issued_at),
  ...(facts.expires_at ? { exp: seconds(facts.expires_at) } : {}),
});

export const tokenRoutes = [
  route({
    method: 'POST',
    path: '/v1/oauth2/token',
    operation: 'oauth2:request_token',
    summary: 'Request token',
    access: anonymous,
    form: true,
    raw: true,
    body: TokenRequest,
    response: TokenResponse,
    handle: ({ bytes, headers, now }, app) =>
      answering(async () => {
        const form = readForm(bytes);
        const name = required(form, 'grant_type');
        const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
        if (!grant) throw new OAuthError('unsupported_grant_type', 'The grant type is not supported.');
        const client = await authenticateClient(app, headers.authorization, form);
        const granted = await grant(app, client, form, now);
        return new Reply(200, await presentGranted(app, granted, now), noStore);
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/revoke',
    operation: 'oauth2:revoke_token',
    summary: 'Revoke token',
    access: anonymous,
    form: true,
    raw: true,
    body: RevokeTokenRequest,
    response: RevokeTokenResponse,
    handle: ({ bytes, headers, now }, app) =>
      answering(async () => {
        const form = readForm(bytes);
        const client = await authenticateClient(app, headers.authorization, form);
        const facts = await ownToken(app, client, form, now);
        const isAccessOnly =
          facts?.token_type === 'access_token' && form.get('token_type_hint') === 'access_token';
        if (facts) {
          await inTransaction(app.db, (tx) =>
            isAccessOnly
              ? revokeAccessToken(tx, facts.id, now)
              : revokeAuthorization(tx, facts.authorization_id, now),
          );
        }
        return {};
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/introspect',
    operation: 'oauth2:introspect_token',
    summary: 'Introspect token',
    access: anonymous,
    form: true,
    raw: true,
    body: IntrospectTokenRequest,
    response: IntrospectTokenResponse,
    handle: ({ bytes, headers, now }, app) =>
      answering(async () => {
        const form = readForm(bytes);
        const client = await authenticateClient(app, headers.authorization, form);
        const facts = await ownToken(app, client, form, now);
        return facts ? presentFacts(facts, app.publicUrl) : { active: false };
      }),
  }),
];

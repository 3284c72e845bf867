import type { Scope } from '@tributary/proto/access.ts';
import { inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { hashToken } from '@tributary/runtime/token.ts';
import type { App } from '../../app.ts';
import { type Seal, seal, unseal } from '../../sealing/seal.ts';
import { type Authorization, REFRESHED_TOKEN_SECONDS, refuseGrant } from '../authorizations/authorization.ts';
import { judgeRefresh, type RefreshToken } from '../authorizations/refresh-token.ts';
import {
  findAccessToken,
  isUnrotated,
  lockAuthorization,
  lockRefreshToken,
  revokeAuthorization,
  rotateRefreshToken,
} from '../authorizations/store.ts';
import type { Client } from '../clients/client.ts';
import { type Form, required } from '../form.ts';
import { OAuthError } from '../oauth-error.ts';
import { parseScopes } from '../scope.ts';
import type { Granted } from './exchange-code.flow.ts';
import { type Issued, issueTokens } from './issue-tokens.flow.ts';

/** Only who holds a refresh token can read the pair it was exchanged for. */
const successorSeal = (app: App, token: string): Seal => ({
  key: token,
  salt: app.tokenSecret,
  purpose: 'refresh token successor',
});

/** Grant `refresh_token`: the token is exchanged for a new pair. Reuse of an exchanged one ends the authorization. */
export async function refreshTokens(app: App, client: Client, form: Form, now: Date): Promise<Granted> {
  if (!client.grant_types.includes('refresh_token')) {
    throw new OAuthError('unauthorized_client', 'The client did not register for this grant.');
  }
  const token = required(form, 'refresh_token');
  const granted = await inTransaction(app.db, async (tx) => {
    const found = await findLiving(app, tx, client, token);
    const isSuccessorUnused = await isUnrotated(tx, found.refresh.successor_id);
    switch (judgeRefresh(found.refresh, isSuccessorUnused, now)) {
      case 'current':
        return rotate(app, tx, { ...found, token, scopes: requestedScopes(form, found.refresh.scopes), now });
      case 'raced':
        return {
          authorization: found.authorization,
          issued: await sameSuccessor(app, tx, found.refresh, token, now),
        };
      case 'reused':
        await revokeAuthorization(tx, found.authorization.id, now);
        return undefined;
    }
  });
  if (!granted) throw refuseGrant('The refresh token was used before; all that descends from it is revoked.');
  return granted;
}

interface Living {
  refresh: RefreshToken;
  authorization: Authorization;
}

async function findLiving(app: App, tx: Tx, client: Client, token: string): Promise<Living> {
  const refresh = await lockRefreshToken(tx, hashToken(token, app.tokenSecret));
  if (!refresh) throw refuseGrant('The refresh token is not known.');
  const authorization = await lockAuthorization(tx, refresh.authorization_id);
  if (authorization.client_id !== client.client_id) throw refuseGrant('The refresh token is not known.');
  if (authorization.revoked_at !== null) throw refuseGrant('The refresh token is revoked.');
  return { refresh, authorization };
}

/** A client may ask for less than it was granted, never for more (RFC 6749, 6). */
function requestedScopes(form: Form, granted: readonly Scope[]): Scope[] {
  const text = form.get('scope');
  const scopes = text === undefined ? [...granted] : parseScopes(text, granted);
  if (!scopes || scopes.length === 0) throw new OAuthError('invalid_scope', 'The scope was not granted.');
  return scopes;
}

async function rotate(
  app: App,
  tx: Tx,
  { refresh, authorization, token, scopes, now }: Living & { token: string; scopes: Scope[]; now: Date },
): Promise<Granted> {
  const issued = await issueTokens(app, tx, {
    authorization_id: authorization.id,
    scopes,
    seconds: REFRESHED_TOKEN_SECONDS,
    refreshScopes: refresh.scopes,
    now,
  });
  const pair = JSON.stringify([issued.access_token, issued.refresh_token]);
  const successor = { id: issued.refresh_id!, sealed: seal(pair, successorSeal(app, token)) };
  await rotateRefreshToken(tx, refresh.id, successor, now);
  return { authorization, issued };
}

async function sameSuccessor(
  app: App,
  tx: Tx,
  refresh: RefreshToken,
  token: string,
  now: Date,
): Promise<Issued> {
  const [access_token, refresh_token] = JSON.parse(
    unseal(refresh.sealed_successor!, successorSeal(app, token)),
  ) as [string, string];
  const access = await findAccessToken(tx, hashToken(access_token, app.tokenSecret));
  if (!access || access.revoked_at !== null) throw refuseGrant('The refresh token is revoked.');
  const expires_in = Math.max(0, Math.floor((access.expires_at.getTime() - now.getTime()) / 1000));
  return { access_token, refresh_token, expires_in, scopes: access.scopes };
}

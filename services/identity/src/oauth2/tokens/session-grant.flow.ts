import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { hashToken } from '@tributary/runtime/token.ts';
import type { App } from '../../app.ts';
import { membershipsOf } from '../../memberships/store.ts';
import { findUserSession } from '../../user-sessions/store.ts';
import type { UserSession } from '../../user-sessions/user-session.ts';
import { type Authorization, REFRESHED_TOKEN_SECONDS, refuseGrant } from '../authorizations/authorization.ts';
import { insertAuthorization } from '../authorizations/store.ts';
import type { Client } from '../clients/client.ts';
import { type Form, required } from '../form.ts';
import { OAuthError } from '../oauth-error.ts';
import { parseScopes } from '../scope.ts';
import type { Granted } from './exchange-code.flow.ts';
import { issueTokens } from './issue-tokens.flow.ts';

/** Grant `web`: our own application turns the user's browser session into an access token, without a refresh token. */
export async function grantToSession(app: App, client: Client, form: Form, now: Date): Promise<Granted> {
  if (!client.is_first_party) {
    throw new OAuthError('unauthorized_client', 'This grant is for first-party applications.');
  }
  const tokenHash = hashToken(required(form, 'session_token'), app.tokenSecret);
  const session = await findUserSession(app.db, tokenHash, now);
  if (!session) throw refuseGrant('The session has ended.');
  const scopes = parseScopes(form.get('scope') ?? client.scopes.join(' '), client.scopes);
  if (!scopes || scopes.length === 0)
    throw new OAuthError('invalid_scope', 'The client may not ask for this scope.');
  const authorization: Authorization = {
    id: newId(),
    created_at: now,
    client_id: client.client_id,
    user_id: session.user_id,
    scopes,
    organization_ids: await organizationsFor(app, session, form),
    nonce: null,
    authenticated_at: session.created_at,
    code_hash: null,
    code_expires_at: null,
    code_used_at: null,
    redirect_uri: null,
    was_redirect_uri_given: false,
    code_challenge: null,
    code_challenge_method: null,
    revoked_at: null,
  };
  return inTransaction(app.db, async (tx) => {
    await insertAuthorization(tx, authorization);
    const order = { authorization_id: authorization.id, scopes, seconds: REFRESHED_TOKEN_SECONDS, now };
    return { authorization, issued: await issueTokens(app, tx, order) };
  });
}

/** An organization's token is its user's, limited to it. */
async function organizationsFor(app: App, session: UserSession, form: Form): Promise<string[] | null> {
  const subType = form.get('sub_type') ?? 'user';
  const sub = form.get('sub');
  if (subType === 'user') {
    if (sub !== undefined && sub !== session.user_id)
      throw refuseGrant('The session is that of another user.');
    return null;
  }
  if (subType !== 'organization')
    throw new OAuthError('invalid_request', 'The sub_type is user or organization.');
  if (sub === undefined) throw new OAuthError('invalid_request', 'The parameter sub is missing.');
  const memberships = await membershipsOf(app.db, session.user_id);
  if (!memberships.some(({ id }) => id === sub))
    throw refuseGrant('The user is not a member of the organization.');
  return [sub];
}

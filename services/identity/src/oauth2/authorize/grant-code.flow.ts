import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { hashToken, mintToken } from '@tributary/runtime/token.ts';
import type { App } from '../../app.ts';
import { tokenPrefixes } from '../../introspection/token-kinds.ts';
import type { UserSession } from '../../user-sessions/user-session.ts';
import { after, CODE_SECONDS } from '../authorizations/authorization.ts';
import { insertAuthorization } from '../authorizations/store.ts';
import { mergeConsent } from '../consents/consent.ts';
import { findConsent, saveConsent } from '../consents/store.ts';
import { withParameters } from '../redirect-uri.ts';
import type { AuthorizationRequest } from './request.ts';

export interface CodeGrant {
  session: UserSession;
  /** What the user chose; null is all. */
  organization_ids: string[] | null;
  now: Date;
}

/** Remembers the consent and gives the application a code; returns the address that takes it there. */
export async function grantCode(
  app: App,
  request: AuthorizationRequest,
  { session, organization_ids, now }: CodeGrant,
): Promise<string> {
  const code = mintToken(tokenPrefixes.authorization_code);
  const { client, redirect, scopes, sub_type, nonce, code_challenge, code_challenge_method } = request;
  const { client_id } = client;
  const { user_id } = session;
  await inTransaction(app.db, async (tx) => {
    const before = await findConsent(tx, { client_id, user_id, sub_type });
    const consent = mergeConsent(before, { client_id, user_id, sub_type, scopes, organization_ids });
    await saveConsent(tx, consent, now);
    await insertAuthorization(tx, {
      id: newId(),
      created_at: now,
      client_id,
      user_id,
      scopes,
      organization_ids,
      nonce,
      authenticated_at: session.created_at,
      code_hash: hashToken(code, app.tokenSecret),
      code_expires_at: after(now, CODE_SECONDS),
      code_used_at: null,
      redirect_uri: redirect.uri,
      was_redirect_uri_given: redirect.wasGiven,
      code_challenge,
      code_challenge_method,
      revoked_at: null,
    });
  });
  return withParameters(redirect.uri, { code, state: redirect.state, iss: app.publicUrl });
}

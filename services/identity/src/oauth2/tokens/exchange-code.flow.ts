import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { hashToken } from '@tributary/runtime/token.ts';
import type { App } from '../../app.ts';
import {
  type Authorization,
  CODE_TOKEN_SECONDS,
  judgeCode,
  refuseGrant,
} from '../authorizations/authorization.ts';
import { lockByCode, markCodeUsed, revokeAuthorization } from '../authorizations/store.ts';
import type { Client } from '../clients/client.ts';
import { type Form, required } from '../form.ts';
import { OAuthError } from '../oauth-error.ts';
import { type Issued, issueTokens } from './issue-tokens.flow.ts';

/** What a grant comes to: tokens, and the authorization they descend from. */
export interface Granted {
  issued: Issued;
  authorization: Authorization;
}

/** Grant `authorization_code`: a code becomes tokens, once. A second use ends what the first was given. */
export async function exchangeCode(app: App, client: Client, form: Form, now: Date): Promise<Granted> {
  if (!client.grant_types.includes('authorization_code')) {
    throw new OAuthError('unauthorized_client', 'The client did not register for this grant.');
  }
  const codeHash = hashToken(required(form, 'code'), app.tokenSecret);
  const exchange = {
    client,
    redirect_uri: form.get('redirect_uri'),
    code_verifier: form.get('code_verifier'),
    now,
  };
  const granted = await inTransaction(app.db, async (tx) => {
    const authorization = await lockByCode(tx, codeHash);
    if (!authorization) throw refuseGrant('The code is not known.');
    if (judgeCode(authorization, exchange) === 'reused') {
      await revokeAuthorization(tx, authorization.id, now);
      return undefined;
    }
    await markCodeUsed(tx, authorization.id, now);
    const { id, scopes } = authorization;
    const refreshScopes = client.grant_types.includes('refresh_token') ? scopes : undefined;
    const order = { authorization_id: id, scopes, refreshScopes, seconds: CODE_TOKEN_SECONDS, now };
    return { authorization, issued: await issueTokens(app, tx, order) };
  });
  if (!granted) throw refuseGrant('The code was used before; what was given for it is revoked.');
  return granted;
}

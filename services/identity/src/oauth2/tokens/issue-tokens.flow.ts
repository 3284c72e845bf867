import type { Scope } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { hashToken, mintToken } from '@tributary/runtime/token.ts';
import type { App } from '../../app.ts';
import { tokenPrefixes } from '../../introspection/token-kinds.ts';
import { after } from '../authorizations/authorization.ts';
import { insertAccessToken, insertRefreshToken } from '../authorizations/store.ts';

/** Tokens given to a client; the secrets are known here only. */
export interface Issued {
  access_token: string;
  expires_in: number;
  scopes: Scope[];
  refresh_token?: string;
  /** Id of the refresh token. */
  refresh_id?: string;
}

export interface IssueOrder {
  authorization_id: string;
  scopes: Scope[];
  seconds: number;
  /** Scopes of the refresh token that goes with it; none when absent. */
  refreshScopes?: Scope[];
  now: Date;
}

/** Makes an access token and, if ordered, the refresh token that goes with it. */
export async function issueTokens(app: App, tx: Tx, order: IssueOrder): Promise<Issued> {
  const { authorization_id, scopes, seconds, refreshScopes, now } = order;
  const access_token = mintToken(tokenPrefixes.oauth2_user);
  await insertAccessToken(tx, {
    id: newId(),
    authorization_id,
    token_hash: hashToken(access_token, app.tokenSecret),
    scopes,
    issued_at: now,
    expires_at: after(now, seconds),
  });
  const issued: Issued = { access_token, expires_in: seconds, scopes };
  if (!refreshScopes) return issued;
  const [refresh_id, refresh_token] = [newId(), mintToken(tokenPrefixes.oauth2_refresh_user)];
  await insertRefreshToken(tx, {
    id: refresh_id,
    authorization_id,
    token_hash: hashToken(refresh_token, app.tokenSecret),
    scopes: refreshScopes,
    issued_at: now,
  });
  return { ...issued, refresh_id, refresh_token };
}

import { hash } from 'node:crypto';
import type { Scope } from '@tributary/proto/access.ts';
import type { App } from '../../app.ts';
import { findUser } from '../../users/store.ts';
import type { Authorization } from '../authorizations/authorization.ts';

const ID_TOKEN_SECONDS = 3_600;
const seconds = (instant: Date) => Math.floor(instant.getTime() / 1000);

/** Left half of the access token's SHA-256 (OpenID Connect Core, 3.1.3.6). */
const accessTokenHash = (token: string) =>
  hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url');

/** The id token that goes with an access token; undefined without the scope `openid`. */
export async function idTokenFor(
  app: App,
  authorization: Authorization,
  { access_token, scopes }: { access_token: string; scopes: readonly Scope[] },
  now: Date,
): Promise<string | undefined> {
  if (!scopes.includes('openid')) return undefined;
  const user = scopes.includes('email') ? await findUser(app.db.manager, authorization.user_id) : null;
  return app.keyring.sign(
    {
      iss: app.publicUrl,
      sub: authorization.user_id,
      aud: authorization.client_id,
      iat: seconds(now),
      exp: seconds(now) + ID_TOKEN_SECONDS,
      auth_time: seconds(authorization.authenticated_at),
      at_hash: accessTokenHash(access_token),
      ...(authorization.nonce === null ? {} : { nonce: authorization.nonce }),
      ...(user ? { email: user.email, email_verified: user.email_verified } : {}),
    },
    now,
  );
}

import type { Scope } from '@tributary/proto/access.ts';
import type { Client } from '../clients/client.ts';
import { OAuthError } from '../oauth-error.ts';
import { type ChallengeMethod, isProof } from '../pkce.ts';

/** What a user allowed a client once. Every token descends from one; ending it ends them all. */
export interface Authorization {
  id: string;
  created_at: Date;
  client_id: string;
  user_id: string;
  scopes: Scope[];
  /** The organizations the client may act for; null is all of the user's, also later ones. */
  organization_ids: string[] | null;
  nonce: string | null;
  /** When the user proved who they are (claim `auth_time`). */
  authenticated_at: Date;
  /** The code that tokens are given for; null where none was needed. */
  code_hash: string | null;
  code_expires_at: Date | null;
  code_used_at: Date | null;
  redirect_uri: string | null;
  was_redirect_uri_given: boolean;
  code_challenge: string | null;
  code_challenge_method: ChallengeMethod | null;
  revoked_at: Date | null;
}

const SECOND_MS = 1000;
export const CODE_SECONDS = 300;
/** Access tokens given for a code live ten days, those given for a refresh token or a session one hour. */
export const CODE_TOKEN_SECONDS = 864_000;
export const REFRESHED_TOKEN_SECONDS = 3_600;

export const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * SECOND_MS);

export const refuseGrant = (description: string): OAuthError => new OAuthError('invalid_grant', description);

/** What a client shows to have tokens for a code. */
export interface CodeExchange {
  client: Client;
  redirect_uri: string | undefined;
  code_verifier: string | undefined;
  now: Date;
}

/**
 * Whether a code may be turned into tokens now.
 * @returns `reused` for a code that was turned before: whoever brings it again may have stolen it, so what was given
 * for it must end (RFC 6749, 4.1.2)
 * @throws OAuthError invalid_grant when it may not
 */
export function judgeCode(
  authorization: Authorization,
  { client, redirect_uri, code_verifier, now }: CodeExchange,
): 'good' | 'reused' {
  if (authorization.client_id !== client.client_id) throw refuseGrant('The code is not known.');
  if (authorization.code_used_at !== null) return 'reused';
  if (authorization.revoked_at !== null || authorization.code_expires_at! <= now) {
    throw refuseGrant('The code has expired.');
  }
  const isExpected = redirect_uri === authorization.redirect_uri;
  if (!isExpected && (authorization.was_redirect_uri_given || redirect_uri !== undefined)) {
    throw refuseGrant('The redirect_uri is not the one the code was sent to.');
  }
  requireProof(authorization, code_verifier);
  return 'good';
}

/** A challenge must be answered; an answer without a challenge is a sign of a downgrade (RFC 9700, 2.1.1). */
function requireProof(
  { code_challenge, code_challenge_method }: Authorization,
  verifier: string | undefined,
): void {
  if (code_challenge === null) {
    if (verifier !== undefined) throw refuseGrant('The code was asked for without a code_challenge.');
  } else if (verifier === undefined || !isProof(verifier, code_challenge, code_challenge_method!)) {
    throw refuseGrant('The code_verifier does not match the code_challenge.');
  }
}

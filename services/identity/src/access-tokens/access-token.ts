import type { Scope } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { invalid, NotPermitted, Problem } from '@tributary/runtime/http/problem.ts';
import { addDuration } from './duration.ts';

/** What organization and personal access tokens have in common. */
export interface AccessToken extends Recorded {
  token_hash: string;
  comment: string;
  scopes: Scope[];
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** A token hands on at most what its maker holds: anything else is a 422 at `body.scopes`. */
export function requireOwnScopes(principal: Principal, requested: readonly Scope[]): void {
  const held: readonly string[] = principal.kind === 'anonymous' ? [] : principal.scopes;
  const missing = requested.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return;
  throw invalid(['body', 'scopes'], `You do not hold ${missing.join(', ')} yourself.`);
}

/** Third-party applications may not make tokens that would outlive the user's consent. */
export function refuseApplications(principal: Principal): void {
  if (principal.kind === 'user' && principal.client_id !== null) {
    throw new Problem(NotPermitted, 'Applications may not manage access tokens.');
  }
}

/** When a token made now ends; null is never. */
export function expiryOf(now: Date, expiresIn: string | null | undefined): Date | null {
  if (expiresIn == null) return null;
  const end = addDuration(now, expiresIn);
  if (!end) {
    throw invalid(
      ['body', 'expires_in'],
      'Use an ISO 8601 duration of at most 100 years, such as P30D',
      'time_delta_parsing',
      expiresIn,
    );
  }
  return end;
}

export interface NewAccessToken {
  comment: string;
  scopes: Scope[];
  expires_in?: string | null;
}

/** A token as its maker ordered it. */
export const newAccessToken = (order: NewAccessToken, token_hash: string, now: Date): AccessToken => ({
  id: newId(),
  created_at: now,
  modified_at: null,
  token_hash,
  comment: order.comment,
  scopes: [...new Set(order.scopes)],
  expires_at: expiryOf(now, order.expires_in),
  last_used_at: null,
});

/** The token after a change of what may change; null and absent leave it. */
export const changeAccessToken = <T extends AccessToken>(
  token: T,
  change: { comment?: string | null; scopes?: Scope[] | null },
  now: Date,
): T => ({
  ...token,
  comment: change.comment ?? token.comment,
  scopes: change.scopes ? [...new Set(change.scopes)] : token.scopes,
  modified_at: now,
});

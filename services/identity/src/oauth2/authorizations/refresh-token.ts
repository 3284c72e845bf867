import type { Scope } from '@tributary/proto/access.ts';

export interface RefreshToken {
  id: string;
  authorization_id: string;
  scopes: Scope[];
  issued_at: Date;
  /** When it was exchanged for its successor. */
  rotated_at: Date | null;
  successor_id: string | null;
  /** The pair it was exchanged for, readable only with the token itself. */
  sealed_successor: string | null;
}

/** Two requests of one client may carry the same token; the slower one may be this late. */
const GRACE_MS = 10_000;

/**
 * What a refresh token that somebody shows is good for. `current`: its exchange. `raced`: it was exchanged a moment
 * ago and nobody has used the successor yet; the very same successor is given again, so that whichever answer the
 * client keeps, it holds the living token. `reused`: any other second use, a sign of theft (RFC 9700, 4.14.2).
 */
export function judgeRefresh(
  token: RefreshToken,
  isSuccessorUnused: boolean,
  now: Date,
): 'current' | 'raced' | 'reused' {
  if (token.rotated_at === null) return 'current';
  const isRecent = now.getTime() - token.rotated_at.getTime() <= GRACE_MS;
  return isRecent && isSuccessorUnused && token.sealed_successor !== null ? 'raced' : 'reused';
}

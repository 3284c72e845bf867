import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { AccessToken } from './access-token.ts';

/** A token as its owners read it: never the secret. */
export const presentAccessToken = (token: AccessToken) => ({
  ...presentRecorded(token),
  comment: token.comment,
  scopes: token.scopes,
  expires_at: iso(token.expires_at),
  last_used_at: iso(token.last_used_at),
});

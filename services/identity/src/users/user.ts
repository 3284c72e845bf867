import { hash } from 'node:crypto';
import type { Recorded } from '@tributary/runtime/db/columns.ts';

export interface User extends Recorded {
  email: string;
  email_verified: boolean;
  avatar_url: string | null;
  /** See password.ts; null while the user logs in with e-mailed codes only. */
  password_hash: string | null;
  failed_logins: number;
  login_blocked_until: Date | null;
}

/** A picture for the address, from the public service that maps the SHA-256 of an address to one. */
export const avatarFor = (email: string): string =>
  `https://www.gravatar.com/avatar/${hash('sha256', email.trim().toLowerCase())}?d=404`;

export const newUser = (id: string, email: string, isVerified: boolean, now: Date): User => ({
  id,
  created_at: now,
  modified_at: null,
  email,
  email_verified: isVerified,
  avatar_url: avatarFor(email),
  password_hash: null,
  failed_logins: 0,
  login_blocked_until: null,
});

const MAX_FAILED_LOGINS = 10;
const BLOCK_MS = 15 * 60_000;

/** Whether passwords are refused for now, however right: the e-mailed code still lets the user in. */
export const isLoginBlocked = (user: User, now: Date): boolean =>
  user.login_blocked_until !== null && user.login_blocked_until > now;

/** What a wrong password leaves behind: the tenth in a row blocks passwords for 15 minutes. */
export function afterFailedLogin(user: User, now: Date): Pick<User, 'failed_logins' | 'login_blocked_until'> {
  const failed = user.failed_logins + 1;
  return failed < MAX_FAILED_LOGINS
    ? { failed_logins: failed, login_blocked_until: null }
    : { failed_logins: 0, login_blocked_until: new Date(now.getTime() + BLOCK_MS) };
}

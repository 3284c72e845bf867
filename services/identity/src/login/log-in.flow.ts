import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { isSameSecret } from '@tributary/runtime/token.ts';
import type { App } from '../app.ts';
import { createUserSession } from '../user-sessions/store.ts';
import { isPassword } from '../users/password.ts';
import { findUserByEmail, insertUser, lockUser, updateUser } from '../users/store.ts';
import { afterFailedLogin, isLoginBlocked, newUser } from '../users/user.ts';
import { isOpen, readCode } from './login-code.ts';
import { hashCode } from './send-login-code.flow.ts';
import { countAttempt, deleteLoginCode, lockLoginCode } from './store.ts';

export interface LoginAttempt {
  email: string;
  /** A password or an e-mailed code. */
  proof: string;
  now: Date;
}

/**
 * Logs in by password. The work is the same whether or not the address is known.
 * @returns the session's secret, or undefined when the login is refused
 */
export async function logInByPassword(
  app: App,
  { email, proof, now }: LoginAttempt,
): Promise<string | undefined> {
  const known = await findUserByEmail(app.db.manager, email);
  const isRight = await isPassword(proof, known?.password_hash);
  if (!known) return undefined;
  return inTransaction(app.db, async (tx) => {
    const user = await lockUser(tx, known.id);
    if (!user || isLoginBlocked(user, now)) return undefined;
    if (!isRight) {
      await updateUser(tx, user.id, afterFailedLogin(user, now));
      return undefined;
    }
    await updateUser(tx, user.id, { failed_logins: 0, login_blocked_until: null });
    return createUserSession(tx, user.id, app.tokenSecret, now);
  });
}

/** Logs in by e-mailed code; the first time it makes the user. A code is good once and for few attempts. */
export async function logInByCode(
  app: App,
  { email, proof, now }: LoginAttempt,
): Promise<string | undefined> {
  const code = readCode(proof);
  return inTransaction(app.db, async (tx) => {
    const sent = await lockLoginCode(tx, email);
    if (!sent || !isOpen(sent, now)) return undefined;
    if (code === undefined || !isSameSecret(hashCode(email, code, app.tokenSecret), sent.code_hash)) {
      await countAttempt(tx, email);
      return undefined;
    }
    await deleteLoginCode(tx, email);
    const user = await insertUser(tx, newUser(newId(), email, true, now));
    if (!user.email_verified) await updateUser(tx, user.id, { email_verified: true, modified_at: now });
    return createUserSession(tx, user.id, app.tokenSecret, now);
  });
}

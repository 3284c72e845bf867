import { tokenRevoked } from '@tributary/proto/events/message.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import { endUserSessions } from '../user-sessions/store.ts';
import type { UserSession } from '../user-sessions/user-session.ts';
import { hashPassword, isPassword } from '../users/password.ts';
import { findUser, updateUser } from '../users/store.ts';
import { passwordRefusal } from './password-rule.ts';

export interface PasswordChange {
  current: string;
  next: string;
  now: Date;
}

/** A login this young needs no second proof. */
const FRESH_MS = 10 * 60_000;

/**
 * Gives the user a password, or another one, and ends every other login of theirs.
 * @returns why it was refused; undefined when it is done
 */
export async function setPassword(
  app: App,
  session: UserSession,
  { current, next, now }: PasswordChange,
): Promise<string | undefined> {
  const refusal = passwordRefusal(next, session.email);
  if (refusal) return refusal;
  const user = await findUser(app.db.manager, session.user_id);
  const isFresh = now.getTime() - session.created_at.getTime() <= FRESH_MS;
  if (!isFresh && user?.password_hash && !(await isPassword(current, user.password_hash))) {
    return 'The current password is not right.';
  }
  if (!isFresh && !user?.password_hash) return 'Log in again first, then set a password.';
  const password_hash = await hashPassword(next);
  await inTransaction(app.db, async (tx) => {
    await updateUser(tx, session.user_id, {
      password_hash,
      failed_logins: 0,
      login_blocked_until: null,
      modified_at: now,
    });
    const ended = await endUserSessions(tx, session.user_id, { except: session.token_hash });
    await emit(
      tx,
      ended.map((id) => tokenRevoked(id)),
    );
  });
  return undefined;
}

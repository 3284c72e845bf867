import { newId } from '@tributary/proto/id.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { hashToken, mintToken } from '@tributary/runtime/token.ts';
import { SESSION_PREFIX, sessionEnd, type UserSession } from './user-session.ts';

/** Logs a user in; returns the secret that the browser keeps. */
export async function createUserSession(
  tx: Pick<Tx, 'query'>,
  userId: string,
  secret: string,
  now: Date,
): Promise<string> {
  const token = mintToken(SESSION_PREFIX);
  await tx.query(
    'insert into user_sessions (id, user_id, token_hash, created_at, expires_at) values ($1, $2, $3, $4, $5)',
    [newId(), userId, hashToken(token, secret), now, sessionEnd(now)],
  );
  return token;
}

/** The live session behind a token's hash, with its user; undefined when there is none. */
export async function findUserSession(
  db: Pick<Reader, 'query'>,
  tokenHash: string,
  now: Date,
): Promise<UserSession | undefined> {
  const rows: UserSession[] = await db.query(
    `select s.id, s.user_id, s.token_hash, s.created_at, u.email, u.email_verified, u.avatar_url
     from user_sessions s join users u on u.id = s.user_id where s.token_hash = $1 and s.expires_at > $2`,
    [tokenHash, now],
  );
  return rows[0];
}

/** Ends sessions of a user, `only` one or all `except` one, by the hash of their token; returns their ids. */
export async function endUserSessions(
  tx: Pick<Tx, 'query'>,
  userId: string,
  which: { only: string } | { except: string },
): Promise<string[]> {
  const [hash, isExcepted] = 'only' in which ? [which.only, false] : [which.except, true];
  const [ended]: [{ id: string }[], number] = await tx.query(
    'delete from user_sessions where user_id = $1 and (token_hash = $2) is distinct from $3 returning id',
    [userId, hash, isExcepted],
  );
  return ended.map((row) => row.id);
}

/** Forgets sessions that have expired, one bounded batch; returns whether more are left. */
export async function forgetExpiredUserSessions(db: Pick<Reader, 'query'>, now: Date): Promise<boolean> {
  const [, count]: [unknown, number] = await db.query(
    `delete from user_sessions where id in (
       select id from user_sessions where expires_at < $1 order by expires_at limit 1000)`,
    [now],
  );
  return count === 1000;
}

/** The live session with an id, with its user. */
export async function findUserSessionById(
  db: Pick<Reader, 'query'>,
  id: string,
  now: Date,
): Promise<UserSession | undefined> {
  const rows: UserSession[] = await db.query(
    `select s.id, s.user_id, s.token_hash, s.created_at, u.email, u.email_verified, u.avatar_url
     from user_sessions s join users u on u.id = s.user_id where s.id = $1 and s.expires_at > $2`,
    [id, now],
  );
  return rows[0];
}

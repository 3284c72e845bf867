import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { LoginCode } from './login-code.ts';

/** The code sent last to an address, locked until the transaction ends. */
export async function lockLoginCode(tx: Tx, email: string): Promise<LoginCode | undefined> {
  const rows: LoginCode[] = await tx.query('select * from login_codes where email = $1 for update', [
    email.toLowerCase(),
  ]);
  return rows[0];
}

export async function saveLoginCode(tx: Tx, code: LoginCode): Promise<void> {
  await tx.query(
    `insert into login_codes (email, code_hash, attempts, sent_at, expires_at) values ($1, $2, $3, $4, $5)
     on conflict (email) do update set code_hash = excluded.code_hash, attempts = excluded.attempts,
       sent_at = excluded.sent_at, expires_at = excluded.expires_at`,
    [code.email.toLowerCase(), code.code_hash, code.attempts, code.sent_at, code.expires_at],
  );
}

export async function countAttempt(tx: Tx, email: string): Promise<void> {
  await tx.query('update login_codes set attempts = attempts + 1 where email = $1', [email.toLowerCase()]);
}

export async function deleteLoginCode(tx: Tx, email: string): Promise<void> {
  await tx.query('delete from login_codes where email = $1', [email.toLowerCase()]);
}

/** Forgets codes that have expired, one bounded batch; returns whether more are left. */
export async function forgetExpiredCodes(db: Pick<Reader, 'query'>, now: Date): Promise<boolean> {
  const [, count]: [unknown, number] = await db.query(
    `delete from login_codes where email in (
       select email from login_codes where expires_at < $1 order by expires_at limit 1000)`,
    [now],
  );
  return count === 1000;
}

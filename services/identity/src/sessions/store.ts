import { tokenRevoked } from '@tributary/proto/events/message.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { Session } from './session.ts';

export async function insertSession(
  db: Pick<Reader, 'query'>,
  session: Session,
  tokenHash: string,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into sessions
       (id, created_at, organization_id, customer_id, member_id, member_role, return_url, token_hash, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      session.id,
      now,
      session.organization_id,
      session.customer_id,
      session.member_id,
      session.member_role,
      session.return_url,
      tokenHash,
      session.expires_at,
    ],
  );
}

export async function findSession(
  db: Pick<Reader, 'query'>,
  id: string,
  now: Date,
): Promise<Session | undefined> {
  const rows: Session[] = await db.query('select * from sessions where id = $1 and expires_at > $2', [
    id,
    now,
  ]);
  return rows[0];
}

/** Whose sessions end: a customer's, a member's, or those of one member of a customer. */
export interface SessionHolder {
  customer_id?: string;
  member_id?: string;
}

/** Ends sessions and says so to whoever keeps their tokens. */
export async function endSessions(tx: Tx, { customer_id, member_id }: SessionHolder): Promise<void> {
  const conditions = [
    ...(customer_id === undefined ? [] : ['customer_id = $1']),
    ...(member_id === undefined ? [] : [`member_id = $${customer_id === undefined ? 1 : 2}`]),
  ];
  if (conditions.length === 0) return;
  const [ended]: [{ id: string }[], number] = await tx.query(
    `delete from sessions where ${conditions.join(' and ')} returning id`,
    [customer_id, member_id].filter((id) => id !== undefined),
  );
  await emit(
    tx,
    ended.map((row) => tokenRevoked(row.id)),
  );
}

/** Gives a member's sessions another role; what others keep of their tokens names the former one. */
export async function changeRole(tx: Tx, memberId: string, role: string): Promise<void> {
  const [changed]: [{ id: string }[], number] = await tx.query(
    'update sessions set member_role = $2 where member_id = $1 and member_role <> $2 returning id',
    [memberId, role],
  );
  await emit(
    tx,
    changed.map((row) => tokenRevoked(row.id)),
  );
}

/** Forgets sessions that have expired, one bounded batch; returns whether more are left. */
export async function forgetExpiredSessions(db: Pick<Reader, 'query'>, now: Date): Promise<boolean> {
  const [, count]: [unknown, number] = await db.query(
    `delete from sessions where id in (
       select id from sessions where expires_at < $1 order by expires_at limit 1000)`,
    [now],
  );
  return count === 1000;
}

import { newId } from '@tributary/proto/id.ts';
import { integer, json, nullable, text, timestamp, uuid } from '@tributary/runtime/db/columns.ts';
import type { Database, Tx } from '@tributary/runtime/db/transaction.ts';
import { EntitySchema } from 'typeorm';
import { type Email, LEASE_MS } from './email.ts';

/** PostgreSQL channel on which a commit that queued mails wakes whoever sends them. */
export const EMAILS_CHANNEL = 'emails';

export const emails = new EntitySchema<Email>({
  name: 'emails',
  columns: {
    id: { type: 'uuid', primary: true },
    created_at: timestamp,
    organization_id: nullable(uuid),
    recipient: nullable(text),
    recipient_hash: text,
    template: text,
    data: nullable(json),
    status: text,
    failures: integer,
    error: nullable(text),
    due_at: nullable(timestamp),
    claim_id: nullable(uuid),
    sent_at: nullable(timestamp),
  },
});

export async function insertEmail(tx: Tx, email: Email): Promise<void> {
  await tx.getRepository(emails).insert(email as never);
  await tx.query(`select pg_notify('${EMAILS_CHANNEL}', '')`);
}

/** Claims due mails, the oldest first, so that nobody else sends them meanwhile. */
export async function claimDueEmails(db: Database, now: Date, limit: number): Promise<Email[]> {
  const claimId = newId();
  await db.query(
    `update emails set claim_id = $3, due_at = $4 where id in (
       select id from emails where due_at <= $1 order by due_at limit $2 for update skip locked)`,
    [now, limit, claimId, new Date(now.getTime() + LEASE_MS)],
  );
  return db
    .getRepository(emails)
    .find({ where: { claim_id: claimId }, order: { created_at: 'ASC', id: 'ASC' } });
}

/** Records how sending a claimed mail ended; false when the claim is lost, and somebody else does. */
export async function settleEmail(db: Database, claimId: string, settled: Email): Promise<boolean> {
  const { id, ...columns } = settled;
  const { affected } = await db.getRepository(emails).update({ id, claim_id: claimId }, columns as never);
  return affected === 1;
}

export const isForgotten = (db: Database, id: string): Promise<boolean> =>
  db.getRepository(emails).existsBy({ id, status: 'forgotten' });

const KEEP_DAYS = 90;
const DELETE_BATCH = 1_000;

/** Deletes the log of mails over 90 days old, one bounded batch; returns whether more are left. */
export async function deleteOldEmails(db: Database, now: Date): Promise<boolean> {
  const [, deleted]: [unknown, number] = await db.query(
    `delete from emails where id in (
       select id from emails
       where created_at < $1::timestamptz - make_interval(days => $2) and due_at is null
       order by created_at limit $3)`,
    [now, KEEP_DAYS, DELETE_BATCH],
  );
  return deleted === DELETE_BATCH;
}

import { hash } from 'node:crypto';
import type { Database, Tx } from '../db/transaction.ts';
import { IdempotentRequestRunning, invalid, Problem } from './problem.ts';
import { Reply } from './reply.ts';

/** After this time a request that never finished (its process died) may be tried again under its key. */
const LEASE_SECONDS = 60;
const KEEP_HOURS = 24;
const MAX_KEY_LENGTH = 255;

/** SQL of the table that keeps idempotency keys; part of every service's first migration. */
export const IDEMPOTENCY_TABLE = `
  create table idempotency_keys (
    owner text not null,
    key text not null,
    fingerprint text not null,
    status smallint,
    body jsonb,
    leased_until timestamptz not null,
    created_at timestamptz not null default now(),
    primary key (owner, key)
  );
  create index idempotency_keys_created_at on idempotency_keys (created_at);
`;

/** A claimed `Idempotency-Key`: exactly one running request holds it. */
export interface Claim {
  owner: string;
  key: string;
}

/**
 * Claims a key for a request: returns the stored answer when the request ran before, a claim when it may run now.
 * The same key with a different request is a 422; while a twin runs, 409.
 * @param request what makes two requests the same: method, target and body
 */
export async function claimKey(
  db: Database,
  owner: string,
  key: string,
  request: string,
): Promise<Claim | Reply> {
  if (key.length > MAX_KEY_LENGTH)
    throw invalid(['header', 'idempotency-key'], `At most ${MAX_KEY_LENGTH} characters`);
  const fingerprint = hash('sha256', request, 'base64');
  const claimed: unknown[] = await db.query(
    `insert into idempotency_keys (owner, key, fingerprint, leased_until)
     values ($1, $2, $3, now() + make_interval(secs => $4))
     on conflict (owner, key) do update
       set leased_until = excluded.leased_until, fingerprint = excluded.fingerprint, status = null, body = null,
           created_at = now()
       where (idempotency_keys.status is null and idempotency_keys.leased_until < now()
              and idempotency_keys.fingerprint = excluded.fingerprint)
          or idempotency_keys.created_at < now() - make_interval(hours => $5)
     returning 1`,
    [owner, key, fingerprint, LEASE_SECONDS, KEEP_HOURS],
  );
  if (claimed.length > 0) return { owner, key };
  const [stored]: { fingerprint: string; status: number | null; body: unknown }[] = await db.query(
    'select fingerprint, status, body from idempotency_keys where owner = $1 and key = $2',
    [owner, key],
  );
  if (stored && stored.fingerprint !== fingerprint) {
    throw invalid(
      ['header', 'idempotency-key'],
      'This key was used with a different request.',
      'idempotency_key_reused',
      key,
    );
  }
  if (!stored || stored.status === null) {
    throw new Problem(IdempotentRequestRunning, 'A request with this idempotency key is still running.', {
      'retry-after': '1',
    });
  }
  return new Reply(stored.status, stored.body ?? undefined, { 'idempotency-replayed': 'true' });
}

/** Stores the answer under the key, in the transaction of the effect. */
export async function settleKey(
  tx: Pick<Tx, 'query'>,
  claim: Claim,
  status: number,
  body: unknown,
): Promise<void> {
  await tx.query('update idempotency_keys set status = $3, body = $4 where owner = $1 and key = $2', [
    claim.owner,
    claim.key,
    status,
    body === undefined ? null : JSON.stringify(body),
  ]);
}

/** Gives the key back when the request failed without an answer worth keeping. */
export async function releaseKey(db: Database, claim: Claim): Promise<void> {
  await db.query('delete from idempotency_keys where owner = $1 and key = $2 and status is null', [
    claim.owner,
    claim.key,
  ]);
}

const DELETE_BATCH = 10_000;

/** Deletes keys older than a day, one bounded batch; returns whether more are left. */
export async function deleteOldKeys(db: Database): Promise<boolean> {
  const [, deleted]: [unknown, number] = await db.query(
    `delete from idempotency_keys where (owner, key) in (
       select owner, key from idempotency_keys
       where created_at < now() - make_interval(hours => $1) order by created_at limit $2)`,
    [KEEP_HOURS, DELETE_BATCH],
  );
  return deleted === DELETE_BATCH;
}

import { createHash } from 'node:crypto';
import { newId } from '@tributary/proto/id.ts';
import { isDead } from '../db/life.ts';
import type { Database, Tx } from '../db/transaction.ts';
import { AnswerForgotten, IdempotentRequestRunning, invalid, Problem } from './problem.ts';
import { Reply } from './reply.ts';
import { keyHash, openAnswer, sealAnswer } from './sealed-answer.ts';

/** A request that takes longer than this may be tried again under its key, even while its process lives. */
const LEASE_SECONDS = 60;
const KEEP_HOURS = 24;
const MAX_KEY_LENGTH = 255;

/** SQL of the table that keeps idempotency keys; part of every service's first migration. */
export const IDEMPOTENCY_TABLE = `
  create table idempotency_keys (
    owner text not null,
    key_hash text not null,
    fingerprint text not null,
    lease uuid not null,
    leased_until timestamptz not null,
    status smallint,
    answer bytea,
    created_at timestamptz not null default now(),
    primary key (owner, key_hash)
  );
  create index idempotency_keys_created_at on idempotency_keys (created_at);
`;

/** A claimed `Idempotency-Key`: exactly one running request holds it. */
export interface Claim {
  owner: string;
  key: string;
  /** Tells this claim from a later one, made after this one's process died or its time ran out. */
  lease: string;
  isSettled: boolean;
}

interface Kept {
  fingerprint: string;
  status: number | null;
  answer: Buffer | null;
}

/** What makes two requests the same: method and target, and the body. */
export const fingerprintOf = (target: string, body: Uint8Array): string =>
  createHash('sha256').update(`${target}\n`).update(body).digest('base64');

/**
 * Claims a key for a request: returns the stored answer when the request ran before, a claim when it may run now.
 * The same key with a different request is a 422; while a twin runs, 409.
 * @param process number of this process's `Life`, by which others can tell that it died; 0 if it shows none
 */
export async function claimKey(
  db: Database,
  owner: string,
  key: string,
  fingerprint: string,
  process = 0,
): Promise<Claim | Reply> {
  if (key.length > MAX_KEY_LENGTH)
    throw invalid(['header', 'idempotency-key'], `At most ${MAX_KEY_LENGTH} characters`);
  const lease = leaseOf(process);
  const claimed: unknown[] = await db.query(
    `insert into idempotency_keys (owner, key_hash, fingerprint, lease, leased_until)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5))
     on conflict (owner, key_hash) do update
       set fingerprint = excluded.fingerprint, lease = excluded.lease, leased_until = excluded.leased_until,
           status = null, answer = null, named = null, created_at = now()
       where (idempotency_keys.status is null and idempotency_keys.fingerprint = excluded.fingerprint
              and (idempotency_keys.leased_until < now() or ${HAS_DIED}))
          or idempotency_keys.created_at < now() - make_interval(hours => $6)
     returning 1`,
    [owner, keyHash(key), fingerprint, lease, LEASE_SECONDS, KEEP_HOURS],
  );
  if (claimed.length > 0) return { owner, key, lease, isSettled: false };
  const [kept]: Kept[] = await db.query(
    'select fingerprint, status, answer from idempotency_keys where owner = $1 and key_hash = $2',
    [owner, keyHash(key)],
  );
  return replay(kept, fingerprint, key);
}

const PROCESS_DIGITS = 8;

/** A new lease, whose first digits are the number of its process. */
const leaseOf = (process: number): string =>
  process.toString(16).padStart(PROCESS_DIGITS, '0') + newId().slice(PROCESS_DIGITS);

const LEASEHOLDER = `('x' || left(idempotency_keys.lease::text, ${PROCESS_DIGITS}))::bit(32)::integer`;
const HAS_DIED = `(${LEASEHOLDER} <> 0 and ${isDead(LEASEHOLDER)})`;

function replay(kept: Kept | undefined, fingerprint: string, key: string): Reply {
  if (kept && kept.fingerprint !== fingerprint) {
    throw invalid(
      ['header', 'idempotency-key'],
      'This key was used with a different request.',
      'idempotency_key_reused',
      key,
    );
  }
  if (kept && kept.status !== null && kept.answer === null)
    throw new Problem(AnswerForgotten, 'The answer to this request named somebody who is forgotten.');
  if (!kept?.answer || kept.status === null) {
    throw new Problem(IdempotentRequestRunning, 'A request with this idempotency key is still running.', {
      'retry-after': '1',
    });
  }
  const { body, headers } = openAnswer(kept.answer, key);
  return new Reply(kept.status, body, { ...headers, 'idempotency-replayed': 'true' });
}

const MAX_NAMED = 1_000;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** Ids of the records that an answer names: when one of them must be forgotten, so must the answer. */
const recordsIn = (body: unknown): string[] =>
  [...new Set(JSON.stringify(body ?? null).match(ID))].slice(0, MAX_NAMED);

/**
 * Stores the answer under the key, in the transaction of the effect.
 * @throws Problem 409 when another request took the key over meanwhile: the transaction must not commit
 */
export async function settleKey(tx: Pick<Tx, 'query'>, claim: Claim, reply: Reply): Promise<void> {
  const answer = sealAnswer({ body: reply.body, headers: reply.headers }, claim.key);
  const [, settled]: [unknown, number] = await tx.query(
    `update idempotency_keys set status = $4, answer = $5, named = $6
     where owner = $1 and key_hash = $2 and lease = $3`,
    [claim.owner, keyHash(claim.key), claim.lease, reply.status, answer, recordsIn(reply.body)],
  );
  if (settled !== 1) {
    throw new Problem(IdempotentRequestRunning, 'Another request with this idempotency key took over.');
  }
}

/** Gives the key back when the request failed without an answer worth keeping. */
export async function releaseKey(db: Database, claim: Claim): Promise<void> {
  await db.query(
    'delete from idempotency_keys where owner = $1 and key_hash = $2 and lease = $3 and status is null',
    [claim.owner, keyHash(claim.key), claim.lease],
  );
}

const DELETE_BATCH = 10_000;

/** Deletes keys older than a day, one bounded batch; returns whether more are left. */
export async function deleteOldKeys(db: Database): Promise<boolean> {
  const [, deleted]: [unknown, number] = await db.query(
    `delete from idempotency_keys where (owner, key_hash) in (
       select owner, key_hash from idempotency_keys
       where created_at < now() - make_interval(hours => $1) order by created_at limit $2)`,
    [KEEP_HOURS, DELETE_BATCH],
  );
  return deleted === DELETE_BATCH;
}

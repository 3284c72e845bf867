import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Tx } from './db/transaction.ts';

/** Lets stored answers be found by the records they name; a migration of every service. */
export class NameRecordsInAnswers1768000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency_keys add column named uuid[]');
    await runner.query('create index idempotency_keys_named on idempotency_keys using gin (named)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency_keys drop column named');
  }
}

/**
 * Drops what this service keeps about a record by the way: answers that can be replayed under an idempotency key, and
 * what parked messages said. That there was an answer, or a message, stays known.
 */
export async function forgetRecord(tx: Pick<Tx, 'query'>, id: string): Promise<void> {
  await tx.query('update idempotency_keys set answer = null, named = null where named @> array[$1::uuid]', [
    id,
  ]);
  await tx.query(
    `update parked_messages
     set message = message - 'value', error = 'Its subject is forgotten.'
     where message::text like $1`,
    [`%${id}%`],
  );
}

import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { SweepKind } from './sweep.ts';

/** Asks for a sweep in the transaction of the change. */
export async function requestSweep(
  tx: Pick<Tx, 'query'>,
  kind: SweepKind,
  targetId: string,
  now: Date,
): Promise<void> {
  await tx.query('insert into sweeps (id, kind, target_id, created_at, due_at) values ($1, $2, $3, $4, $4)', [
    newId(),
    kind,
    targetId,
    now,
  ]);
}

import { stateChanged } from '@tributary/proto/events/message.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { CustomerMeter } from './customer-meter.ts';
import { presentState } from './present.ts';

type Row = CustomerMeter & { organization_id: string };

const COLUMNS = `id, organization_id, created_at, modified_at, customer_id, meter_id, consumed_units, credited_units, balance`;

/**
 * Tells the other services of customer meters that changed since they were last told, at most `limit` of them. However
 * many events a meter counts in between, it is told once. Returns whether more may wait.
 */
export async function publishChanged(tx: Tx, limit: number): Promise<boolean> {
  const rows: Row[] = await tx.query(
    `select ${COLUMNS} from customer_meters where not is_published and is_used order by id limit $1
     for update skip locked`,
    [limit],
  );
  if (rows.length === 0) return false;
  await tx.query('update customer_meters set is_published = true where id = any($1)', [
    rows.map((row) => row.id),
  ]);
  await emit(
    tx,
    rows.map((row) => stateChanged('customer_meters', row.id, presentState(row))),
  );
  return rows.length === limit;
}

export const customerMetersById = (db: Pick<Tx, 'query'>, ids: readonly string[]): Promise<Row[]> =>
  db.query(`select ${COLUMNS} from customer_meters where id = any($1) and is_used`, [ids]);

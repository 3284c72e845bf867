import { stateChanged } from '@tributary/proto/events/message.ts';
import { type Database, inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { CustomerMeter } from './customer-meter.ts';
import { presentState } from './present.ts';
import { consumedSql } from './totals.ts';

type State = CustomerMeter & { organization_id: string };

const CONSUMED = consumedSql(`meter.aggregation ->> 'func'`, 'row');

/** SQL columns of a customer meter, from tables `row` (the customer meter) and `meter`. */
export const CUSTOMER_METER_COLUMNS = `row.id, row.organization_id, row.created_at, row.modified_at, row.customer_id,
  row.meter_id, row.credited_units, ${CONSUMED} as consumed_units, row.credited_units - ${CONSUMED} as balance`;

const LOCK = `
  select id from customer_meters where id = any($1) order by meter_id, customer_id for update`;

const READ = `
  select ${CUSTOMER_METER_COLUMNS} from customer_meters row join meters meter on meter.id = row.meter_id
  where row.id = any($1) and row.is_used order by row.id`;

const RANK = `
  insert into customer_meter_ranks as rank (id, organization_id, modified_at, consumed_units, credited_units, balance)
  select id, organization_id, modified_at, consumed_units, credited_units, balance
  from jsonb_to_recordset($1::jsonb) as changed(id uuid, organization_id uuid, modified_at timestamptz,
    consumed_units numeric, credited_units bigint, balance numeric)
  on conflict (id) do update
    set modified_at = excluded.modified_at, consumed_units = excluded.consumed_units,
        credited_units = excluded.credited_units, balance = excluded.balance`;

/**
 * Lets ranks and copies follow customer meters that have changed: at most `limit` of them, of one organization if
 * told. However many events a customer meter counted since, it is told of once. Returns whether more may wait.
 */
export async function followChanges(
  tx: Tx,
  limit: number,
  organizationIds?: readonly string[],
): Promise<boolean> {
  const noted: { id: string }[] = await tx.query(
    `select id from customer_meter_changes where $1::uuid[] is null or organization_id = any($1) limit $2`,
    [organizationIds ?? null, limit],
  );
  if (noted.length === 0) return false;
  const ids = noted.map((change) => change.id);
  // A row's change is noted under its lock: with the locks held, what is read is newer than every note.
  await tx.query(LOCK, [ids]);
  const rows: State[] = await tx.query(READ, [ids]);
  await tx.query(RANK, [JSON.stringify(rows)]);
  await emit(
    tx,
    rows.map((row) => stateChanged('customer_meters', row.id, presentState(row))),
  );
  await tx.query('delete from customer_meter_changes where id = any($1)', [ids]);
  return noted.length === limit;
}

/** Most changes that a list waits for before it is sorted; beyond it the order may be two seconds old. */
const MAX_FOLLOWED = 5_000;

/** Brings ranks up to date before they are gone by. */
export async function followNow(db: Database, organizationIds: readonly string[]): Promise<void> {
  const [{ waiting }]: [{ waiting: boolean }] = await db.query(
    'select exists (select from customer_meter_changes where organization_id = any($1)) as waiting',
    [organizationIds],
  );
  if (waiting) await inTransaction(db, (tx) => followChanges(tx, MAX_FOLLOWED, organizationIds));
}

export const customerMetersById = (db: Pick<Tx, 'query'>, ids: readonly string[]): Promise<State[]> =>
  db.query(READ, [ids]);

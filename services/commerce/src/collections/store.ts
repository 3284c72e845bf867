import type { Database, Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Collection } from './collection.ts';

/** SQL of the orders that are to be collected, and when. */
export const COLLECTIONS_TABLE = `
  create table collections (
    order_id uuid primary key references orders (id),
    customer_id uuid not null,
    attempts integer not null default 0,
    failures integer not null default 0,
    trigger text not null default 'subscription_cycle',
    first_failed_at timestamptz,
    attempt_at timestamptz not null
  );
  create index collections_attempt_at on collections (attempt_at);
  create index collections_customer_id on collections (customer_id);
`;

const COLUMNS = 'order_id, attempts, failures, first_failed_at, trigger';

/** Has an order collected as soon as the transaction is over. */
export async function startCollection(
  tx: Tx,
  order: { id: string; customer_id: string },
  now: Date,
): Promise<void> {
  await tx.query('insert into collections (order_id, customer_id, attempt_at) values ($1, $2, $3)', [
    order.id,
    order.customer_id,
    now,
  ]);
}

/**
 * Takes attempts that are due, the longest waiting first, and keeps them from others until `leaseUntil`. Should this
 * process die, they are due again then.
 */
export async function claimDueCollections(
  db: Database,
  now: Date,
  leaseUntil: Date,
  batch: number,
): Promise<Collection[]> {
  const [rows]: [Collection[], number] = await db.query(
    `update collections set attempt_at = $2
     where order_id in (
       select order_id from collections where attempt_at <= $1 order by attempt_at limit $3
       for update skip locked)
     returning ${COLUMNS}`,
    [now, leaseUntil, batch],
  );
  return rows;
}

/** The collection with its row locked; undefined once it is over. */
export async function lockCollection(tx: Tx, orderId: string): Promise<Collection | undefined> {
  const rows: Collection[] = await tx.query(
    `select ${COLUMNS} from collections where order_id = $1 for update`,
    [orderId],
  );
  return rows[0];
}

/** Plans the next attempt after one that was refused. */
export async function retryCollection(
  tx: Tx,
  { order_id, attempts, failures, first_failed_at }: Omit<Collection, 'trigger'>,
  attemptAt: Date,
): Promise<void> {
  await tx.query(
    `update collections set attempts = $2, failures = $3, first_failed_at = $4, attempt_at = $5,
       trigger = 'retry_dunning'
     where order_id = $1`,
    [order_id, attempts, failures, first_failed_at, attemptAt],
  );
}

/** Moves an attempt that was claimed but not made. */
export async function postponeCollection(
  reader: Pick<Reader, 'query'>,
  orderId: string,
  until: Date,
): Promise<void> {
  await reader.query('update collections set attempt_at = $2 where order_id = $1', [orderId, until]);
}

export async function endCollection(tx: Tx, orderId: string): Promise<void> {
  await tx.query('delete from collections where order_id = $1', [orderId]);
}

/** Brings failed collections of a customer forward, who has just given another way to pay. */
export async function collectAgain(tx: Tx, customerId: string, now: Date): Promise<void> {
  await tx.query(
    `update collections set attempt_at = $2, trigger = 'retry_payment_method_update'
     where customer_id = $1 and first_failed_at is not null and attempt_at > $2`,
    [customerId, now],
  );
}

/** Whether a subscription still owes for an order whose payment was refused. */
export async function hasFailedCollection(tx: Tx, subscriptionId: string): Promise<boolean> {
  const rows: unknown[] = await tx.query(
    `select 1 from collections collection join orders on orders.id = collection.order_id
     where orders.subscription_id = $1 and orders.status = 'pending' and collection.first_failed_at is not null
     limit 1`,
    [subscriptionId],
  );
  return rows.length > 0;
}

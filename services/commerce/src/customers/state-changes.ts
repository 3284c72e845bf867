import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';

/** SQL of the customers whose changed state integrators have not been told of yet. */
export const STATE_CHANGES_TABLE = `
  create table customer_state_changes (
    customer_id uuid primary key,
    due_at timestamptz not null
  );
  create index customer_state_changes_due_at on customer_state_changes (due_at);
`;

/** Changes within this time are told as one. */
const DEBOUNCE_MS = 2_000;

/** Has `customer.state_changed` told shortly, once for all changes until then. */
export async function stateChangedSoon(
  tx: Pick<Tx, 'query'>,
  customer: { id: string },
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into customer_state_changes (customer_id, due_at) values ($1, $2) on conflict (customer_id) do nothing`,
    [customer.id, new Date(now.getTime() + DEBOUNCE_MS)],
  );
}

/** Customers whose change is to be told now, the longest waiting first. */
export async function dueStateChanges(
  reader: Pick<Reader, 'query'>,
  now: Date,
  limit: number,
): Promise<{ customer_id: string; due_at: Date }[]> {
  return reader.query(
    'select customer_id, due_at from customer_state_changes where due_at <= $1 order by due_at limit $2',
    [now, limit],
  );
}

/** Takes a due change off the list; false when somebody else has told it. */
export async function takeStateChange(
  tx: Pick<Tx, 'query'>,
  change: { customer_id: string; due_at: Date },
): Promise<boolean> {
  const [rows]: [unknown[], number] = await tx.query(
    'delete from customer_state_changes where customer_id = $1 and due_at = $2 returning 1',
    [change.customer_id, change.due_at],
  );
  return rows.length > 0;
}

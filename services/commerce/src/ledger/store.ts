import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { LedgerTransaction } from './ledger.ts';

/** Books a transaction; the database checks at commit that it balances. */
export async function insertTransaction(tx: Tx, transaction: LedgerTransaction): Promise<void> {
  if (transaction.entries.length === 0) return;
  const { id, created_at, organization_id, customer_id, order_id, payment_id, entries } = transaction;
  await tx.query(
    `insert into ledger_transactions (id, created_at, organization_id, customer_id, order_id, payment_id)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, created_at, organization_id, customer_id, order_id, payment_id],
  );
  await tx.query(
    `insert into ledger_entries (transaction_id, account, currency, amount)
     select $1, account, currency, amount
     from jsonb_to_recordset($2::jsonb) as entry(account text, currency text, amount bigint)`,
    [id, JSON.stringify(entries)],
  );
}

/** What a customer has to their credit in a currency; below zero is debt. The row stays locked. */
export async function lockBalance(
  tx: Tx,
  customer: { id: string; organization_id: string },
  currency: string,
): Promise<number> {
  const rows: { amount: number }[] = await tx.query(
    `insert into customer_balances (customer_id, currency, organization_id, amount) values ($1, $2, $3, 0)
     on conflict (customer_id, currency) do update set amount = customer_balances.amount
     returning amount`,
    [customer.id, currency, customer.organization_id],
  );
  return rows[0]!.amount;
}

/** Moves a balance whose row is locked. */
export async function moveBalance(
  tx: Tx,
  customerId: string,
  currency: string,
  change: number,
): Promise<void> {
  if (change === 0) return;
  await tx.query(
    'update customer_balances set amount = amount + $3 where customer_id = $1 and currency = $2',
    [customerId, currency, change],
  );
}

/** A customer's balances by currency. */
export async function balancesOf(
  reader: Pick<Reader, 'query'>,
  customerId: string,
): Promise<Map<string, number>> {
  const rows: { currency: string; amount: number }[] = await reader.query(
    'select currency, amount from customer_balances where customer_id = $1',
    [customerId],
  );
  return new Map(rows.map(({ currency, amount }) => [currency, amount]));
}

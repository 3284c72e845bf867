import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { ExternalCustomers } from './external-customers.ts';

/** Resolved before the events are asked for: the plan can then be made for these very customers. */
export async function externalCustomers(
  db: Pick<Reader, 'query'>,
  organizations: readonly string[],
  externalIds: readonly string[] | undefined,
): Promise<ExternalCustomers | undefined> {
  if (externalIds === undefined) return undefined;
  const rows: { customer_id: string }[] = await db.query(
    'select customer_id from customer_external_ids where organization_id = any($1) and external_id = any($2)',
    [organizations, externalIds],
  );
  return { external_ids: externalIds, customer_ids: rows.map((row) => row.customer_id) };
}

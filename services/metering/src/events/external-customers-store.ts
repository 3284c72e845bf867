import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Conditions } from '../sql.ts';

/** External ids with the customers they mean now or meant before. */
export interface ExternalCustomers {
  external_ids: readonly string[];
  customer_ids: readonly string[];
}

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

/** Keeps events of whoever has, or had, an external id, and those whose customer has not appeared. */
export function addExternalCustomers(conditions: Conditions, external: ExternalCustomers | undefined): void {
  if (external === undefined) return;
  conditions.add(
    `(event.customer_id = any(?) or (event.customer_id is null and event.external_customer_id = any(?)))`,
    external.customer_ids,
    external.external_ids,
  );
}

import type { Conditions } from '../sql.ts';

/** External ids with the customers they mean now or meant before. */
export interface ExternalCustomers {
  external_ids: readonly string[];
  customer_ids: readonly string[];
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

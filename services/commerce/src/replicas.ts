import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { type Replica, type ResourcesClient, replica } from '@tributary/runtime/replica/replica.ts';
import type { OrganizationCopy } from './organizations/organization.ts';
import type { ProductCopy } from './products/product.ts';
import type { MeterCopy } from './subscriptions/present.ts';

/** A customer's running totals on a meter. */
export interface CustomerMeterCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  customer_id: string;
  meter_id: string;
  consumed_units: number;
  credited_units: number;
  balance: number;
}

export interface BenefitGrantCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  customer_id: string;
  benefit_id: string;
  is_granted: boolean;
  is_revoked: boolean;
  granted_at: string | null;
  properties: Readonly<Record<string, unknown>>;
  benefit: { type: string; metadata: Readonly<Record<string, string | number | boolean>> };
}

export interface Replicas {
  organizations: Replica<OrganizationCopy>;
  products: Replica<ProductCopy>;
  meters: Replica<MeterCopy>;
  benefitGrants: Replica<BenefitGrantCopy>;
  customerMeters: Replica<CustomerMeterCopy>;
}

/** Who is asked for what a copy lacks. */
export interface Owners {
  identity: ResourcesClient;
  catalog: ResourcesClient;
  metering: ResourcesClient;
}

export const createReplicas = ({ identity, catalog, metering }: Owners): Replicas => ({
  organizations: replica('commerce', 'organizations', identity),
  products: replica('commerce', 'products', catalog),
  meters: replica('commerce', 'meters', metering),
  benefitGrants: replica('commerce', 'benefit_grants', catalog),
  customerMeters: replica('commerce', 'customer_meters', metering),
});

export const copyTables = {
  organizations: 'organizations_replica',
  products: 'products_replica',
  meters: 'meters_replica',
  benefit_grants: 'benefit_grants_replica',
  customer_meters: 'customer_meters_replica',
} as const;

/** The copies that are here, in one statement and without a remote call: fit for transactions and lists. */
export async function localCopies<T>(
  reader: Pick<Reader, 'query'>,
  table: (typeof copyTables)[keyof typeof copyTables],
  ids: Iterable<string>,
): Promise<Map<string, T>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows: { id: string; value: T }[] = await reader.query(
    `select id, value from ${table} where id = any($1) and value is not null`,
    [unique],
  );
  return new Map(rows.map((row) => [row.id, row.value]));
}

/** The copies about one customer, oldest first. */
export async function copiesOfCustomer<T>(
  reader: Pick<Reader, 'query'>,
  table: 'benefit_grants_replica' | 'customer_meters_replica',
  customerId: string,
): Promise<T[]> {
  const rows: { value: T }[] = await reader.query(
    `select value from ${table} where value ->> 'customer_id' = $1 order by value ->> 'created_at', id`,
    [customerId],
  );
  return rows.map((row) => row.value);
}

import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { type Replica, type ResourcesClient, replica } from '@tributary/runtime/replica/replica.ts';

/** What the catalog reads of an organization. */
export interface OrganizationCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  name: string;
  slug: string;
  avatar_url: string | null;
  proration_behavior: string;
  allow_customer_updates: boolean;
  default_presentment_currency: string;
  feature_settings: Readonly<Record<string, unknown>> | null;
  subscription_settings: { benefit_revocation_grace_period: number };
  customer_portal_settings: Readonly<Record<string, unknown>>;
}

/** A customer, as the customers' owner presents it. */
export interface CustomerCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  metadata: Record<string, string | number | boolean>;
  external_id: string | null;
  email: string | null;
  email_verified: boolean;
  type: 'individual' | 'team';
  name: string | null;
  billing_name: string | null;
  billing_address: object | null;
  tax_id: string[] | null;
  locale: string | null;
  organization_id: string;
  default_payment_method_id: string | null;
  deleted_at: string | null;
  first_user_event_at: string | null;
  avatar_url: string | null;
}

export interface MemberCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  customer_id: string;
  email: string;
  name: string | null;
  external_id: string | null;
  role: 'owner' | 'billing_manager' | 'member';
}

export interface MeterCopy {
  id: string;
  name: string;
  unit: 'scalar' | 'token' | 'custom';
  custom_label: string | null;
  custom_multiplier: number | null;
  archived_at: string | null;
  organization_id: string;
}

export interface Replicas {
  organizations: Replica<OrganizationCopy>;
  customers: Replica<CustomerCopy>;
  members: Replica<MemberCopy>;
  meters: Replica<MeterCopy>;
}

/** Who is asked for what a copy lacks. */
export interface Owners {
  identity: ResourcesClient;
  commerce: ResourcesClient;
  metering: ResourcesClient;
}

export const createReplicas = ({ identity, commerce, metering }: Owners): Replicas => ({
  organizations: replica('catalog', 'organizations', identity),
  customers: replica('catalog', 'customers', commerce),
  members: replica('catalog', 'members', commerce),
  meters: replica('catalog', 'meters', metering),
});

/** Names of the copies' tables: they can be read, and joined, without asking anybody. */
export const copyTables = {
  organizations: 'organizations_replica',
  customers: 'customers_replica',
  members: 'members_replica',
  meters: 'meters_replica',
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

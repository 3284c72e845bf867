import { type Replica, type ResourcesClient, replica } from '@tributary/runtime/replica/replica.ts';

/** A customer, as the customers' owner presents it. */
export interface CustomerCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  metadata: Readonly<Record<string, string | number | boolean>>;
  external_id: string | null;
  email: string | null;
  email_verified: boolean;
  type: 'individual' | 'team';
  name: string | null;
  billing_name: string | null;
  billing_address: Readonly<Record<string, unknown>> | null;
  tax_id: readonly string[] | null;
  locale: string | null;
  organization_id: string;
  default_payment_method_id: string | null;
  deleted_at: string | null;
  first_user_event_at: string | null;
  avatar_url: string | null;
}

export interface MemberCopy {
  id: string;
  customer_id: string;
  external_id: string | null;
}

/** What metering reads of a product: which meters its prices bill. */
export interface ProductCopy {
  id: string;
  organization_id: string;
  is_archived: boolean;
  prices: readonly { amount_type: string; is_archived: boolean; meter_id?: string }[];
}

export interface BenefitCopy {
  id: string;
  organization_id: string;
  type: string;
  properties: { meter_id?: string; units?: number; rollover?: boolean };
}

export interface BenefitGrantCopy {
  id: string;
  customer_id: string;
  benefit_id: string;
  benefit: BenefitCopy;
  properties: {
    last_credited_meter_id?: string;
    last_credited_units?: number;
    last_credited_at?: string;
  };
}

/** What metering reads of a subscription: which meters it is billed by. */
export interface SubscriptionCopy {
  id: string;
  product_id: string;
  prices: ProductCopy['prices'];
}

export interface Replicas {
  customers: Replica<CustomerCopy>;
  members: Replica<MemberCopy>;
  products: Replica<ProductCopy>;
  benefits: Replica<BenefitCopy>;
  benefitGrants: Replica<BenefitGrantCopy>;
  subscriptions: Replica<SubscriptionCopy>;
}

/** Who is asked for what a copy lacks. */
export interface Owners {
  commerce: ResourcesClient;
  catalog: ResourcesClient;
}

export const createReplicas = ({ commerce, catalog }: Owners): Replicas => ({
  customers: replica('metering', 'customers', commerce),
  members: replica('metering', 'members', commerce),
  products: replica('metering', 'products', catalog),
  benefits: replica('metering', 'benefits', catalog),
  benefitGrants: replica('metering', 'benefit_grants', catalog),
  subscriptions: replica('metering', 'subscriptions', commerce),
});

/** The record as its owner has it now, for when a copy may be too old. */
export async function askFor<T>(
  owner: ResourcesClient,
  resource: string,
  id: string,
): Promise<T | undefined> {
  const { resources } = await owner.getResources({ resource, ids: [id] });
  return resources[0]?.value as T | undefined;
}

/** Tables of the copies, for statements that join them. */
export const copyTables = {
  customers: 'customers_replica',
  members: 'members_replica',
  products: 'products_replica',
  benefits: 'benefits_replica',
  benefitGrants: 'benefit_grants_replica',
  subscriptions: 'subscriptions_replica',
} as const;

import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { Benefit } from '../benefits/benefit.ts';
import { presentBenefit } from '../benefits/present.ts';
import type { CustomerCopy, MemberCopy } from '../replicas.ts';
import type { Grant } from './grant.ts';
import type { BenefitGrantWire } from './schema.ts';

/** A grant with what its representation embeds; a customer or member that is gone altogether is undefined. */
export interface GrantView {
  grant: Grant;
  benefit: Benefit;
  customer: CustomerCopy | undefined;
  member: MemberCopy | undefined;
}

export const presentGrantCore = (grant: Grant) => ({
  ...presentRecorded(grant),
  granted_at: iso(grant.granted_at),
  is_granted: grant.granted_at !== null,
  revoked_at: iso(grant.revoked_at),
  is_revoked: grant.revoked_at !== null,
  subscription_id: grant.subscription_id,
  order_id: grant.order_id,
  customer_id: grant.customer_id,
  member_id: grant.member_id,
  benefit_id: grant.benefit_id,
  error: grant.error,
});

export const presentGrant = ({ grant, benefit, customer, member }: GrantView): BenefitGrantWire => ({
  ...presentGrantCore(grant),
  customer: presentCustomer(customer, grant),
  member: member ? presentMember(member) : null,
  benefit: presentBenefit(benefit),
  properties: grant.properties,
});

/** The customer's own representation; of one that left no copy, no more than its id is known. */
export function presentCustomer(
  customer: CustomerCopy | undefined,
  owner: { customer_id: string; organization_id: string; created_at: Date },
): CustomerCopy {
  return {
    id: owner.customer_id,
    created_at: customer?.created_at ?? owner.created_at.toISOString(),
    modified_at: customer?.modified_at ?? null,
    metadata: customer?.metadata ?? {},
    external_id: customer?.external_id ?? null,
    email: customer?.email ?? null,
    email_verified: customer?.email_verified ?? false,
    type: customer?.type ?? 'team',
    name: customer?.name ?? null,
    billing_name: customer?.billing_name ?? null,
    billing_address: customer?.billing_address ?? null,
    tax_id: customer?.tax_id ?? null,
    locale: customer?.locale ?? null,
    organization_id: owner.organization_id,
    default_payment_method_id: customer?.default_payment_method_id ?? null,
    deleted_at: customer?.deleted_at ?? null,
    first_user_event_at: customer?.first_user_event_at ?? null,
    avatar_url: customer?.avatar_url ?? null,
  };
}

export const presentMember = (member: MemberCopy) => ({
  id: member.id,
  created_at: member.created_at,
  modified_at: member.modified_at,
  customer_id: member.customer_id,
  email: member.email,
  name: member.name,
  external_id: member.external_id,
  role: member.role,
});

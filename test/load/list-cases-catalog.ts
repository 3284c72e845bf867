import type { FilterCases } from './list-cases.ts';

const METADATA = ['metadata[ref]=ref-5015', 'metadata[plan]=3'];

export const catalogCases: FilterCases = {
  '/v1/products/': [
    'id={id}',
    'query=product',
    'query=a1b2c',
    'is_archived=true',
    'is_archived=false',
    'is_recurring=true',
    'is_recurring=false',
    'benefit_id={benefits.0.id}',
    'visibility=public',
    'visibility=draft',
    ...METADATA,
  ],
  '/v1/benefits/': [
    'type=license_keys',
    'type=feature_flag',
    'id={id}',
    'exclude_id={id}',
    'query=a1b2c',
    ...METADATA,
  ],
  '/v1/custom-fields/': ['query=a1b2c', 'type=text', 'type=select'],
  '/v1/benefit-grants/': [
    'customer_id={customer_id}',
    'customer_id={busy_customer}',
    'external_customer_id={customer.external_id}',
    'is_granted=true',
    'is_granted=false',
  ],
  '/v1/benefits/{id}/grants': [
    'is_granted=true',
    'is_granted=false',
    'customer_id={customer_id}',
    'member_id={id}',
  ],
  '/v1/license-keys/': ['benefit_id={benefit_id}', 'status=granted', 'status=disabled'],
  '/v1/files/': ['ids={id}'],
  '/v1/customer-portal/license-keys/': ['benefit_id={benefit_id}'],
  '/v1/customer-portal/downloadables/': ['benefit_id={busy_benefit}'],
  '/v1/customer-portal/benefit-grants/': [
    'query=benefit',
    'type=license_keys',
    'type=feature_flag',
    'benefit_id={benefit_id}',
    'checkout_id={busy_customer}',
    'order_id={busy_customer}',
    'subscription_id={subscription_id}',
    'member_id={busy_customer}',
  ],
};

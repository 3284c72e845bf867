import type { FilterCases } from './list-cases.ts';

/** In the midst of the time that seeded records are spread over. */
const INSTANT = '2025-12-01T00:00:00Z';
const METADATA = ['metadata[ref]=ref-5015', 'metadata[plan]=3'];

export const commerceCases: FilterCases = {
  '/v1/orders/': [
    'product_id={product_id}',
    'product_billing_type=recurring',
    'product_billing_type=one_time',
    'discount_id={id}',
    'customer_id={customer_id}',
    'customer_id={busy_customer}',
    'external_customer_id={customer.external_id}',
    'checkout_id={checkout_id}',
    'subscription_id={id}',
    'status=paid',
    'status=pending',
    'status=pending&status=void',
    `created_after=${INSTANT}`,
    `created_before=${INSTANT}`,
    ...METADATA,
  ],
  '/v1/checkouts/': [
    'product_id={product_id}',
    'customer_id={customer_id}',
    'external_customer_id={external_customer_id}',
    'status=succeeded',
    'status=failed',
    'query=person5015@',
  ],
  '/v1/customers/': [
    'email={email}',
    'query=person5015@',
    'query=acme',
    'active=true',
    'active=false',
    ...METADATA,
  ],
  '/v1/subscriptions/': [
    'product_id={product_id}',
    'customer_id={customer_id}',
    'external_customer_id={customer.external_id}',
    'discount_id={id}',
    'active=true',
    'active=false',
    'status=active',
    'status=unpaid',
    'cancel_at_period_end=true',
    'cancel_at_period_end=false',
    'customer_cancellation_reason=unused',
    'customer_cancellation_reason=other',
    `canceled_at_after=${INSTANT}`,
    `canceled_at_before=${INSTANT}`,
    `started_after=${INSTANT}`,
    `started_before=${INSTANT}`,
    ...METADATA,
  ],
  '/v1/members/': [
    'customer_id={customer_id}',
    'external_customer_id=ext-5010',
    'role=owner',
    'role=billing_manager',
  ],
  '/v1/customer-portal/orders/': [
    'product_id={product_id}',
    'product_billing_type=recurring',
    'product_billing_type=one_time',
    'subscription_id={id}',
    'query=pro',
  ],
  '/v1/customer-portal/subscriptions/': [
    'product_id={product_id}',
    'active=true',
    'active=false',
    'query=product',
  ],
};

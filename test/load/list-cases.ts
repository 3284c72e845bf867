/** A list operation with every filter and sort key it offers. */
export interface MeasuredList {
  name: string;
  service: 'identity' | 'catalog' | 'commerce' | 'metering' | 'notifications';
  caller: 'organization' | 'user' | 'customer';
  path: string;
  /** Query strings; `{field}` stands for that field of one of the list's own items. */
  filters: readonly string[];
  /** Each is measured in both directions. */
  sorts: readonly string[];
}

const METADATA = ['metadata[ref]=ref-5015', 'metadata[plan]=3'];
const PERIOD = '2025-12-01T00:00:00Z';

export const measuredLists: readonly MeasuredList[] = [
  {
    name: 'orders',
    service: 'commerce',
    caller: 'organization',
    path: '/v1/orders/',
    filters: [
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
      `created_after=${PERIOD}`,
      `created_before=${PERIOD}`,
      ...METADATA,
    ],
    sorts: [
      'created_at',
      'status',
      'invoice_number',
      'amount',
      'net_amount',
      'customer',
      'product',
      'discount',
      'subscription',
    ],
  },
  {
    name: 'checkouts',
    service: 'commerce',
    caller: 'organization',
    path: '/v1/checkouts/',
    filters: [
      'product_id={product_id}',
      'customer_id={customer_id}',
      'external_customer_id={external_customer_id}',
      'status=succeeded',
      'status=failed',
      'query=person5015@',
    ],
    sorts: ['created_at', 'expires_at', 'status'],
  },
  {
    name: 'customers',
    service: 'commerce',
    caller: 'organization',
    path: '/v1/customers/',
    filters: ['email={email}', 'query=person5015@', 'query=acme', 'active=true', 'active=false', ...METADATA],
    sorts: ['created_at', 'email', 'name'],
  },
  {
    name: 'subscriptions',
    service: 'commerce',
    caller: 'organization',
    path: '/v1/subscriptions/',
    filters: [
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
      'customer_cancellation_reason=other',
      `canceled_at_after=${PERIOD}`,
      `canceled_at_before=${PERIOD}`,
      `started_after=${PERIOD}`,
      `started_before=${PERIOD}`,
      ...METADATA,
    ],
    sorts: [
      'customer',
      'status',
      'started_at',
      'current_period_end',
      'ended_at',
      'ends_at',
      'amount',
      'product',
      'discount',
    ],
  },
  {
    name: 'payment methods of a customer',
    service: 'commerce',
    caller: 'organization',
    path: '/v1/customers/external/ext-0/payment-methods',
    filters: [],
    sorts: [],
  },
  {
    name: 'claimed subscriptions (portal)',
    service: 'commerce',
    caller: 'customer',
    path: '/v1/customer-portal/seats/subscriptions',
    filters: [],
    sorts: [],
  },
  {
    name: 'products',
    service: 'catalog',
    caller: 'organization',
    path: '/v1/products/',
    filters: [
      'id={id}',
      'query=md5',
      'query=c4ca42',
      'is_archived=true',
      'is_archived=false',
      'is_recurring=true',
      'is_recurring=false',
      'benefit_id={benefits.0.id}',
      'visibility=public',
      'visibility=draft',
      ...METADATA,
    ],
    sorts: ['created_at', 'name', 'price_amount_type', 'price_amount'],
  },
  {
    name: 'benefit grants',
    service: 'catalog',
    caller: 'organization',
    path: '/v1/benefit-grants/',
    filters: [
      'customer_id={customer_id}',
      'external_customer_id={customer.external_id}',
      'is_granted=true',
      'is_granted=false',
    ],
    sorts: ['created_at', 'granted_at', 'revoked_at'],
  },
  {
    name: 'grants of a benefit',
    service: 'catalog',
    caller: 'organization',
    path: '/v1/benefits/{busy_benefit}/grants',
    filters: ['is_granted=true', 'is_granted=false', 'customer_id={customer_id}', 'member_id={id}'],
    sorts: [],
  },
  {
    name: 'license keys',
    service: 'catalog',
    caller: 'organization',
    path: '/v1/license-keys/',
    filters: ['benefit_id={benefit_id}', 'status=granted', 'status=disabled'],
    sorts: [],
  },
  {
    name: 'license keys (portal)',
    service: 'catalog',
    caller: 'customer',
    path: '/v1/customer-portal/license-keys/',
    filters: ['benefit_id={benefit_id}'],
    sorts: [],
  },
  {
    name: 'files',
    service: 'catalog',
    caller: 'organization',
    path: '/v1/files/',
    filters: ['ids={id}'],
    sorts: [],
  },
  {
    name: 'organizations',
    service: 'identity',
    caller: 'user',
    path: '/v1/organizations/',
    filters: ['slug={slug}'],
    sorts: ['created_at', 'slug', 'name', 'next_review_threshold', 'days_in_status'],
  },
  {
    name: 'events',
    service: 'metering',
    caller: 'organization',
    path: '/v1/events/',
    filters: [
      `start_timestamp=${PERIOD}`,
      `end_timestamp=${PERIOD}`,
      'customer_id={customer_id}',
      'customer_id={busy_customer}',
      'external_customer_id=ext-5010',
      'meter_id={meter_id}',
      'name={name}',
      'source=system',
      'organization_id={organization_id}&query=ref-5015',
      'parent_id={id}',
      'depth=0',
      'depth=2',
      `filter=${encodeURIComponent('{"conjunction":"and","clauses":[{"property":"ms","operator":"eq","value":5}]}')}`,
      ...METADATA,
    ],
    sorts: ['timestamp'],
  },
  {
    name: 'event names',
    service: 'metering',
    caller: 'organization',
    path: '/v1/events/names',
    filters: ['source=system', 'query=call_1', 'customer_id={busy_customer}'],
    sorts: ['name', 'occurrences', 'first_seen', 'last_seen'],
  },
  {
    name: 'meters',
    service: 'metering',
    caller: 'organization',
    path: '/v1/meters/',
    filters: ['query=c4ca42', 'is_archived=true', 'is_archived=false', ...METADATA],
    sorts: ['created_at', 'name'],
  },
  {
    name: 'customer meters',
    service: 'metering',
    caller: 'organization',
    path: '/v1/customer-meters/',
    filters: [
      'customer_id={customer_id}',
      'external_customer_id={customer.external_id}',
      'meter_id={meter_id}',
    ],
    sorts: [
      'created_at',
      'modified_at',
      'customer_id',
      'customer_name',
      'meter_id',
      'meter_name',
      'consumed_units',
      'credited_units',
      'balance',
    ],
  },
  {
    name: 'webhook endpoints',
    service: 'notifications',
    caller: 'organization',
    path: '/v1/webhooks/endpoints',
    filters: [],
    sorts: [],
  },
  {
    name: 'webhook deliveries',
    service: 'notifications',
    caller: 'organization',
    path: '/v1/webhooks/deliveries',
    filters: [
      'endpoint_id={webhook_event.webhook_endpoint.id}',
      `start_timestamp=${PERIOD}`,
      `end_timestamp=${PERIOD}`,
      'succeeded=true',
      'succeeded=false',
      'query=person5015@',
      'query=order',
      'http_code_class=2xx',
      'http_code_class=5xx',
      'event_type=order.paid',
      'event_type=subscription.revoked',
    ],
    sorts: [],
  },
];

/** Query strings of a list: no filter, a far page, every filter, every sort in both directions. */
export const casesOf = (list: MeasuredList): string[] => [
  '',
  'page=200',
  ...list.filters,
  ...list.sorts.flatMap((key) => [`sorting=${key}`, `sorting=-${key}`]),
];

/** Puts the fields of an item, and what else is given, where `{…}` names them. */
export function fillIn(template: string, item: unknown, given: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z_.\d]+)\}/g, (_, path: string) => {
    const found =
      given[path] ??
      path
        .split('.')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], item);
    if (typeof found !== 'string') throw new Error(`nothing found for {${path}} of ${template}`);
    return encodeURIComponent(found);
  });
}

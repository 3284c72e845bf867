import type { FilterCases } from './list-cases.ts';

const INSTANT = '2025-12-01T00:00:00Z';

/** Lists of identity and of notifications. */
export const otherCases: FilterCases = {
  '/v1/organizations/': ['slug={slug}'],
  '/v1/webhooks/deliveries': [
    'endpoint_id={busy_endpoint}',
    `start_timestamp=${INSTANT}`,
    `end_timestamp=${INSTANT}`,
    'succeeded=true',
    'succeeded=false',
    'query=person5015@',
    'query=order',
    'http_code_class=2xx',
    'http_code_class=5xx',
    'event_type=order.paid',
    'event_type=subscription.revoked',
  ],
};

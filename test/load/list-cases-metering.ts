import type { FilterCases } from './list-cases.ts';

const INSTANT = '2025-12-01T00:00:00Z';
const METADATA = ['metadata[ref]=ref-5015', 'metadata[plan]=3'];
const CLAUSE = '{"conjunction":"and","clauses":[{"property":"ref","operator":"eq","value":"ref-5015"}]}';

export const meteringCases: FilterCases = {
  '/v1/events/': [
    `start_timestamp=${INSTANT}`,
    `end_timestamp=${INSTANT}`,
    'customer_id={customer_id}',
    'customer_id={busy_customer}',
    'external_customer_id=ext-5010',
    'meter_id={meter_id}',
    'name={name}',
    'source=system',
    'source=user',
    'organization_id={organization_id}&query=ref-5015',
    'organization_id={organization_id}&query=call_17',
    'parent_id={id}',
    'depth=0',
    'depth=2',
    `filter=${encodeURIComponent(CLAUSE)}`,
    ...METADATA,
  ],
  '/v1/events/names': [
    'source=system',
    'query=call_1',
    'customer_id={busy_customer}',
    'external_customer_id=ext-5010',
  ],
  '/v1/event-types/': [
    'source=system',
    'query=call_1',
    'customer_id={busy_customer}',
    'external_customer_id=ext-5010',
    'root_events=true',
    'parent_id={busy_customer}',
  ],
  '/v1/meters/': ['query=a1b2c', 'is_archived=true', 'is_archived=false', ...METADATA],
  '/v1/customer-meters/': [
    'customer_id={customer_id}',
    'external_customer_id={customer.external_id}',
    'meter_id={meter_id}',
  ],
  '/v1/customer-portal/meters/': ['meter_id={meter_id}', 'query=meter'],
};

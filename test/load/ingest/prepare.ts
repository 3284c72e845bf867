import { newId } from '@tributary/proto/id.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import type { Client } from 'pg';
import { type EventSource, makeEvents } from './events.ts';
import { ORGANIZATION } from './worker.ts';

const CUSTOMERS = 200;
/** Well-formed; the gateway of this test takes any for the same caller's. */
const TOKEN = mintToken('trb_oat_');

/** Customers as their copies would be, three meters (two that match) and everything the measuring needs to know. */
export async function prepare(db: Client, gatewayPort: number, hasExternalIds: boolean) {
  const customers = Array.from({ length: CUSTOMERS }, () => newId());
  const values = customers.map((id, number) => ({
    id,
    organization_id: ORGANIZATION,
    name: `Customer ${number}`,
    external_id: null,
    deleted_at: null,
  }));
  await db.query(
    `insert into customers_replica (id, organization_id, value)
     select (value ->> 'id')::uuid, (value ->> 'organization_id')::uuid, value from jsonb_array_elements($1::jsonb) value`,
    [JSON.stringify(values)],
  );
  const ingest = { host: '127.0.0.1', port: gatewayPort, path: '/v1/events/ingest', token: TOKEN };
  const meters = [
    { name: 'Completions', event: 'completion', aggregation: { func: 'count' } },
    { name: 'Tokens', event: 'completion', aggregation: { func: 'sum', property: 'tokens' } },
    { name: 'Searches', event: 'search', aggregation: { func: 'count' } },
  ];
  for (const { event, ...meter } of meters) {
    const filter = { conjunction: 'and', clauses: [{ property: 'name', operator: 'eq', value: event }] };
    await call(gatewayPort, 'POST', '/v1/meters/', { ...meter, filter });
  }
  await call(gatewayPort, 'POST', '/v1/events/ingest', {
    events: [{ name: 'completion', customer_id: customers[0] }],
  });
  // The thread that takes large requests starts with the first of them.
  await call(gatewayPort, 'POST', '/v1/events/ingest', {
    events: makeEvents(1_000, { customers, hasExternalIds: false }),
  });
  const { items } = await call(gatewayPort, 'GET', '/v1/customer-meters/?limit=1');
  const [customerMeter] = items;
  if (!customerMeter) throw new Error('no customer meter has appeared');
  const source: EventSource = { customers, hasExternalIds };
  return { ingest, source, meterPath: `/v1/customer-meters/${customerMeter.id}` };
}

async function call(port: number, method: string, path: string, body?: object) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { items: { id: string }[] };
}

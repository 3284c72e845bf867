import { newId } from '@tributary/proto/id.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import pg, { type Client } from 'pg';
import type { EventSource } from './events.ts';
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

const SEED_STEP = 100_000;
const SEED_CONNECTIONS = 2;

/**
 * Fills the event store until it holds so many events, as if they had come since the month began: what is stored next
 * goes to the same partition and the same indexes. Integrators' ids are UUIDs, whose place in an index is random.
 */
export async function storeMore(
  databaseUrl: string,
  wanted: number,
  customers: readonly string[],
): Promise<void> {
  const now = new Date();
  const [from, to] = [Date.UTC(now.getUTCFullYear(), now.getUTCMonth()), now.getTime() - 3_600_000];
  const step = (to - from) / wanted;
  let next = 0;
  const fill = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    for (let first = next; first < wanted; first = next) {
      next += SEED_STEP;
      const count = Math.min(SEED_STEP, wanted - first);
      await client.query(STORE_MANY, [ORGANIZATION, customers, from + first * step, step, count]);
      if (next % 1_000_000 === 0) process.stderr.write(`${next.toLocaleString('en')} events stored\n`);
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: SEED_CONNECTIONS }, fill));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum analyze events');
  await client.query('vacuum analyze event_external_ids');
  await client.query('checkpoint');
  await client.end();
}

const STORE_MANY = `
  with made as (
    select gen_random_uuid() as random, place, floor($3::float8 + place * $4::float8)::bigint as ms
    from generate_series(0, $5::bigint - 1) place
  ), stored as (
    insert into events (id, organization_id, customer_id, timestamp, source, name, metadata)
    select (lpad(to_hex(ms), 12, '0') || '4' || substr(replace(random::text, '-', ''), 14))::uuid, $1,
      ($2::uuid[])[1 + place % cardinality($2::uuid[])], to_timestamp(ms / 1000.0), 'user', 'completion',
      jsonb_build_object('model', 'large-2', 'region', 'eu-west-1', 'route', '/v1/things/' || place % 100,
        'tokens', place % 5000, 'latency', 12.5, 'cached', place % 3 = 0, 'attempt', 1, 'plan', 'scale')
    from made returning id
  )
  insert into event_external_ids (organization_id, external_id, event_id)
  select $1, gen_random_uuid()::text, id from stored`;

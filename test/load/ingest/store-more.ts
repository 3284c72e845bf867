import pg from 'pg';
import { ORGANIZATION } from './worker.ts';

const STEP = 100_000;
const CONNECTIONS = 2;

/**
 * Fills the event store until it holds so many events, as if they had come since the month began: what is stored next
 * goes to the same partition and the same indexes. Integrators' ids are UUIDs, whose place in an index is random.
 * Indexes are made anew at the end, which takes a third of the time.
 */
export async function storeMore(
  databaseUrl: string,
  wanted: number,
  customers: readonly string[],
): Promise<void> {
  const now = new Date();
  const [from, to] = [Date.UTC(now.getUTCFullYear(), now.getUTCMonth()), now.getTime() - 3_600_000];
  const step = (to - from) / wanted;
  const indexes = await withClient(databaseUrl, dropIndexes);
  let next = 0;
  const fill = async (client: pg.Client) => {
    for (let first = next; first < wanted; first = next) {
      next += STEP;
      const count = Math.min(STEP, wanted - first);
      await client.query(STORE_MANY, [ORGANIZATION, customers, from + first * step, step, count]);
      if (next % 1_000_000 === 0) process.stderr.write(`${next.toLocaleString('en')} events stored\n`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, () => withClient(databaseUrl, fill)));
  await withClient(databaseUrl, async (client) => {
    await client.query(`set maintenance_work_mem = '512MB'`);
    for (const index of indexes) await client.query(index);
    await client.query('vacuum analyze events');
    await client.query('vacuum analyze event_external_ids');
    await client.query('checkpoint');
  });
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Takes the indexes away, but for the one that grows at its end; returns the statements that bring them back. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = 'events'::regclass and not indisprimary`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await client.query('alter table event_external_ids drop constraint event_external_ids_pkey');
  return [
    ...rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON ')),
    'alter table event_external_ids add primary key (organization_id, external_id)',
  ];
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

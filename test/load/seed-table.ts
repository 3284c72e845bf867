import pg from 'pg';

/**
 * Rows number 0 to n-1 of every table belong together: row i of orders is of customer i, its checkout is checkout i.
 * Customer i is of organization i % 10, of which 0 to 4 are the one that is measured: it has half of all rows.
 */
export const ORGANIZATIONS = 10;
/** Every thousandth row is of one customer, so that there is one who has much. */
export const CUSTOMER_EVERY = 1_000;

/** SQL functions that PostgreSQL folds into the statement that calls them: a call would take twenty times as long. */
const FUNCTIONS = `
  create schema if not exists seed;
  create or replace function seed.ms(i bigint, n bigint) returns bigint language sql immutable parallel safe as
    $$ select 1756684800000 + i * (25920000000 / n) $$;
  create or replace function seed.at(i bigint, n bigint) returns timestamptz language sql immutable parallel safe as
    $$ select to_timestamp(seed.ms(i, n) / 1000.0::double precision) $$;
  create or replace function seed.id(kind text, i bigint, n bigint) returns uuid language sql immutable parallel safe as
    $$ select ('0' || to_hex(seed.ms(i, n)) || kind || to_hex(-9223372036854775807 - 1 + i))::uuid $$;
  create or replace function seed.pick(i bigint, choices bigint) returns bigint language sql immutable parallel safe as
    $$ select (hashint8(i)::bigint & 2147483647) % choices $$;
  create or replace function seed.word(i bigint) returns text language sql immutable parallel safe as
    $$ select to_hex(hashint8(i)) $$;
  create or replace function seed.organization(main uuid, i bigint) returns uuid language sql immutable parallel safe as
    $$ select case when i % 10 < 5 then main else ('00000000-0000-4000-8000-00000000000' || (i % 10)::text)::uuid end $$;
`;

/** Number of each kind of record within its seeded ids. */
export const kinds = {
  customer: 1,
  product: 2,
  order: 3,
  checkout: 4,
  subscription: 5,
  benefit: 6,
  grant: 7,
  license: 8,
  file: 9,
  meter: 10,
  customerMeter: 11,
  event: 12,
  endpoint: 13,
  webhookEvent: 14,
  delivery: 15,
  paymentMethod: 16,
  organization: 17,
  entitlement: 18,
  seat: 19,
  item: 20,
  price: 21,
  member: 22,
  customField: 23,
  downloadable: 24,
  token: 25,
  eventType: 26,
} as const;

/** SQL of a seeded record's id; `i` is an SQL expression. */
export const idOf = (kind: keyof typeof kinds, n: number, i = 'i') =>
  `seed.id('4${kinds[kind].toString(16).padStart(3, '0')}', ${i}, ${n})`;
export const timeOf = (n: number, i = 'i') => `seed.at(${i}, ${n})`;
/** One of some texts for each row, spread by weights in percent. */
export const spread = (weights: Readonly<Record<string, number>>): string => {
  let upTo = 0;
  const cases = Object.entries(weights).map(([text, weight]) => {
    upTo += weight;
    return `when seed.pick(i, 100) < ${upTo} then '${text}'`;
  });
  return `case ${cases.join(' ')} end`;
};

interface Given {
  rows: number;
  /** The organization that has half of everything. */
  organizationId: string;
  userId: string;
  /** Seals what the platform must be able to read again. */
  secret: string;
}

export interface Seeder extends Given {
  /** Address of the database that is seeded. */
  url: string;
  query(sql: string): Promise<{ rows: Record<string, string>[] }>;
  /**
   * Adds rows to a table. A column that is not given is taken from the newest row there that the platform itself made,
   * and is null where there is none.
   */
  fill(table: string, columns: Readonly<Record<string, string>>, rows?: number): Promise<void>;
}

/** Seeds one database with indexes and foreign keys out of the way, and has them back before it resolves. */
export async function seeding(
  url: string,
  given: Given,
  seed: (seeder: Seeder) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = (sql: string) => client.query(sql);
  const filled = new Set<string>();
  try {
    await query(`set session_replication_role = replica; set jit = off; set maintenance_work_mem = '1GB';
      ${FUNCTIONS}`);
    await seed({
      ...given,
      url,
      query,
      fill(table, columns, rows = given.rows) {
        filled.add(table);
        return fill(client, table, columns, rows);
      },
    });
    await query(`vacuum analyze ${[...filled].join(', ')}`);
  } finally {
    await client.end();
  }
}

async function fill(
  client: pg.Client,
  table: string,
  given: Readonly<Record<string, string>>,
  rows: number,
): Promise<void> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
    [table],
  );
  const unknown = Object.keys(given).filter((name) => !columns.some((column) => column.name === name));
  if (unknown.length > 0) throw new Error(`${table} has no ${unknown.join(', ')}`);
  const names = columns.map(({ name }) => name);
  const indexes = await dropIndexes(client, table);
  await client.query(`
    insert into ${table} (${names.map((name) => `"${name}"`).join(', ')})
    select ${names.map((name) => given[name] ?? `made."${name}"`).join(', ')}
    from generate_series(0, ${rows - 1}) i left join (select * from ${table} limit 1) made on true`);
  for (const statement of indexes) await client.query(statement);
}

/**
 * Building an index at once is much faster than keeping it while the rows come. Primary keys stay: foreign keys need
 * them, and ids come in their order.
 * @returns statements that make the indexes again
 */
async function dropIndexes(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string; restriction: string | null }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition,
       pg_get_constraintdef(pg_constraint.oid) as restriction
     from pg_index left join pg_constraint on conindid = indexrelid and conrelid = indrelid
     where indrelid = $1::regclass and not indisprimary`,
    [table],
  );
  const statements: string[] = [];
  for (const { name, definition, restriction } of rows) {
    if (restriction === null) {
      await client.query(`drop index ${name}`);
      statements.push(definition.replace(` ON ONLY `, ' ON '));
    } else {
      await client.query(`alter table ${table} drop constraint ${name}`);
      statements.push(`alter table ${table} add constraint ${name} ${restriction}`);
    }
  }
  return statements;
}

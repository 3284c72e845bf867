import pg from 'pg';

// biome-ignore lint/suspicious/noExplicitAny: rows have every shape
export type Row = any;

/** Asks a service's database over a connection of its own. */
export async function query(
  connectionString: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

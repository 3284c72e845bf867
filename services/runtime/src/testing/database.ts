import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type DatabaseOptions, migrate, openDatabase } from '../db/data-source.ts';
import type { Database } from '../db/transaction.ts';
import { requirePostgres } from './servers/postgres.ts';

const TEMPLATE_LOCK = 7_411_923;

export interface TestDatabase {
  url: string;
  db: Database;
  /** Disconnects and drops the database. */
  drop(): Promise<void>;
}

/**
 * A migrated database of its own for one test file: cloned from a template that the first caller migrates.
 * @param name service whose schema it is
 */
export async function createTestDatabase(
  name: string,
  schema: Pick<DatabaseOptions, 'entities' | 'migrations'>,
): Promise<TestDatabase> {
  const { adminUrl } = await requirePostgres();
  const template = await ensureTemplate(adminUrl, name, schema);
  const database = `${name}_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, (admin) => admin.query(`create database ${database} template ${template}`));
  const url = withDatabase(adminUrl, database);
  const db = await openDatabase({ url, ...schema, poolSize: 10 });
  return {
    url,
    db,
    async drop() {
      if (db.isInitialized) await db.destroy();
      await asAdmin(adminUrl, (admin) => admin.query(`drop database if exists ${database} with (force)`));
    },
  };
}

/** The same server's address with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function ensureTemplate(
  adminUrl: string,
  name: string,
  schema: Pick<DatabaseOptions, 'entities' | 'migrations'>,
): Promise<string> {
  const template = `${name}_template_${process.env.TRIBUTARY_TEST_RUN ?? process.ppid}`;
  await asAdmin(adminUrl, async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [template]);
    if (rowCount) return;
    await admin.query(`create database ${template}`);
    const db = await openDatabase({ url: withDatabase(adminUrl, template), ...schema, poolSize: 2 });
    await migrate(db);
    await db.destroy();
  });
  return template;
}

async function asAdmin<T>(url: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

import pg from 'pg';
import { DataSource, type EntitySchema, type MixedList } from 'typeorm';
import type { Database } from './transaction.ts';

/** Any number that fits a JavaScript number is one: amounts and counts are `bigint` columns within 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} exceeds 2^53`);
  return value;
});

// biome-ignore lint/suspicious/noExplicitAny: TypeORM types the entity of a schema invariantly
type Entities = EntitySchema<any>[];
// biome-ignore lint/complexity/noBannedTypes: TypeORM takes migration classes as bare functions
export type Migrations = MixedList<Function>;

export interface DatabaseOptions {
  url: string;
  entities: Entities;
  migrations: Migrations;
  /** Connections kept by this process. */
  poolSize?: number;
  applicationName?: string;
}

/** Connects to the service's own database. A statement that waits longer than 30 s is canceled. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const db = new DataSource({
    type: 'postgres',
    url: options.url,
    entities: options.entities,
    migrations: options.migrations,
    migrationsTransactionMode: 'each',
    poolSize: options.poolSize ?? 20,
    applicationName: options.applicationName ?? 'tributary',
    extra: {
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 60_000,
      connectionTimeoutMillis: 10_000,
    },
  });
  return db.initialize();
}

const MIGRATION_LOCK = 7_411_921;

/** Applies pending migrations; several processes may call it at once, one works and the others wait. */
export async function migrate(db: Database): Promise<void> {
  const runner = db.createQueryRunner();
  try {
    await runner.query('set statement_timeout = 0');
    await runner.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await db.runMigrations();
  } finally {
    await runner.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.query('set statement_timeout = 30000').catch(() => undefined);
    await runner.release();
  }
}

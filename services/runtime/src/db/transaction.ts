import type { DataSource, EntityManager } from 'typeorm';

/** An open transaction. Its queries run on one connection, in order. */
export type Tx = EntityManager;
/** The service's database; `Database | Tx` reads anywhere. */
export type Database = DataSource;
/** Something that can be read from: the database, or an open transaction. */
export type Reader = Pick<EntityManager, 'query' | 'getRepository' | 'createQueryBuilder'>;

const RETRYABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 4;

/**
 * Runs `work` in one READ COMMITTED transaction; a deadlock or serialization failure (nothing was written) is tried
 * again, at most 4 times in all. No remote call belongs inside `work`.
 */
export async function inTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction('READ COMMITTED', work);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

/** SQLSTATE of a database error, or undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  const code =
    (error as { driverError?: { code?: unknown } }).driverError?.code ?? (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}

/** Name of the constraint a database error speaks of, if any. */
export function violatedConstraint(error: unknown): string | undefined {
  const cause =
    (error as { driverError?: { constraint?: unknown } }).driverError ?? (error as { constraint?: unknown });
  return typeof cause.constraint === 'string' ? cause.constraint : undefined;
}

import { type Database, sqlState, type Tx } from '../db/transaction.ts';
import type { Findings } from './report.ts';

/** The service's database as it was at one moment, for reading only, and for a limited time. */
export interface Books {
  /** What was written before this instant must have arrived where it belongs. */
  readonly before: Date;
  /** Only records made since then are looked at where going over all of them would take long; null for all. */
  readonly since: Date | null;
  query<T>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** Work that may take this share of the time that is left; undefined when that was not enough. */
  attempt<T>(share: number, work: () => Promise<T>): Promise<T | undefined>;
  /** Milliseconds left. */
  leftMs(): number;
}

/** One part of a report: checks and figures that belong together. */
export interface Part {
  name: string;
  read(books: Books): Promise<Findings>;
}

export interface BooksOptions {
  before: Date;
  since: Date | null;
  /** All statements together take no longer. */
  budgetMs: number;
}

const CANCELED = '57014';
const LEAST_MS = 50;

/**
 * Opens the books: one read-only REPEATABLE READ transaction, so that numbers read one after the other belong
 * together. Nothing is locked; a statement that outlasts the time left is canceled.
 */
export async function withBooks<T>(
  db: Database,
  options: BooksOptions,
  work: (books: Books) => Promise<T>,
): Promise<T> {
  const runner = db.createQueryRunner();
  const end = performance.now() + options.budgetMs;
  try {
    await runner.startTransaction('REPEATABLE READ');
    await runner.query('set transaction read only');
    return await work(booksOf(runner.manager, options, end));
  } finally {
    await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}

function booksOf(tx: Tx, { before, since }: BooksOptions, end: number): Books {
  let deadline = end;
  const leftMs = () => Math.max(0, deadline - performance.now());
  return {
    before,
    since,
    leftMs,
    async query<T>(sql: string, values: readonly unknown[] = []): Promise<T[]> {
      await tx.query(`set local statement_timeout = ${Math.max(LEAST_MS, Math.ceil(leftMs()))}`);
      const rows: unknown = await tx.query(sql, [...values]);
      return rows as T[];
    },
    async attempt<T>(share: number, attempted: () => Promise<T>): Promise<T | undefined> {
      const outer = deadline;
      deadline = performance.now() + leftMs() * share;
      await tx.query('savepoint attempt');
      try {
        const result = await attempted();
        await tx.query('release savepoint attempt');
        return result;
      } catch (error) {
        await tx.query('rollback to savepoint attempt');
        if (sqlState(error) !== CANCELED) throw error;
        return undefined;
      } finally {
        deadline = outer;
      }
    },
  };
}

import { pino } from 'pino';
import type { Database } from '../db/transaction.ts';
import { inProcessTransport } from '../messaging/in-process.ts';
import type { Part } from '../reconciliation/books.ts';
import { takeReport } from '../reconciliation/take-report.ts';

export interface BooksUnderTest {
  /** Names of the checks that do not hold. */
  broken(): Promise<string[]>;
  /** The same while one table is spoilt, which is mended afterwards. Constraints on rows of other tables are off. */
  brokenBy(table: string, sql: string): Promise<string[]>;
}

/** A service's report on its database, for tests that damage what it is about. @param now of the service's clock */
export function booksUnderTest(db: Database, parts: readonly Part[], now: () => Date): BooksUnderTest {
  const source = {
    service: 'test',
    db,
    transport: inProcessTransport(),
    topics: [],
    parts,
    log: pino({ level: 'silent' }),
  };
  async function broken(): Promise<string[]> {
    const { checks } = await takeReport(source, { before: now(), since: null, budgetMs: 20_000 });
    return checks.filter((check) => !check.ok).map((check) => check.name);
  }
  const unchecked = (sql: string) =>
    db.query(`set session_replication_role = replica; ${sql}; set session_replication_role = default`);
  return {
    broken,
    async brokenBy(table, sql) {
      await db.query(`create table kept as table ${table}`);
      try {
        await unchecked(sql);
        return await broken();
      } finally {
        await unchecked(
          `delete from ${table}; insert into ${table} overriding system value select * from kept; drop table kept`,
        );
      }
    },
  };
}

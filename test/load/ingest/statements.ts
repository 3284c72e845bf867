import type pg from 'pg';

/** Where PostgreSQL's time goes while something is measured. Counting statements costs a few percent of it. */

export async function countStatements(db: pg.Client): Promise<void> {
  await db.query('create extension if not exists pg_stat_statements');
  await db.query('select pg_stat_statements_reset()');
}

interface Statement {
  calls: number;
  ms: number;
  rows: number;
  query: string;
}

/** Prints the statements that took most time, per event stored meanwhile. */
export async function printStatements(db: pg.Client, events: number): Promise<void> {
  const { rows } = await db.query<Statement>(
    `select calls::integer, total_exec_time as ms, rows::integer, query from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database())
     order by total_exec_time desc limit 12`,
  );
  process.stdout.write(
    '\n| us/event | calls/1000 events | us/call | rows/call | statement |\n|---|---|---|---|---|\n',
  );
  for (const { calls, ms, rows: touched, query } of rows) {
    const start = query.replaceAll(/\s+/g, ' ').trim().slice(0, 80);
    const figures = [(ms * 1000) / events, (calls * 1000) / events, (ms * 1000) / calls, touched / calls];
    process.stdout.write(`| ${figures.map((figure) => figure.toFixed(1)).join(' | ')} | ${start} |\n`);
  }
}

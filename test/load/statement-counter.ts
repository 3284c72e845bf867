import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const IDLE_MS = 3_000;
const COUNT = `
  select coalesce(sum(calls), 0)::integer as calls
  from pg_stat_statements s join pg_database d on d.oid = s.dbid
  where d.datname like 'tributary\\_%' and s.query !~* '^(begin|start|commit|rollback)'`;

/** Counts the SQL statements that the services' databases get, less what polling sends while nothing happens. */
export async function statementCounter(postgresUrl: string) {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  const count = async () => (await client.query<{ calls: number }>(COUNT)).rows[0]!.calls;
  const idleFrom = await count();
  await pause(IDLE_MS);
  const idlePerMs = ((await count()) - idleFrom) / IDLE_MS;
  let last = { calls: await count(), at: performance.now() };
  return {
    /** Statements since the last call. */
    async sinceLast(): Promise<number> {
      const now = { calls: await count(), at: performance.now() };
      const sent = now.calls - last.calls - idlePerMs * (now.at - last.at);
      last = now;
      return Math.max(0, Math.round(sent));
    },
    stop: () => client.end(),
  };
}

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A session of the database that waits for our lock on a table. */
export interface Waiter {
  pid: number;
  kind: 'relay' | 'consumer' | 'request';
}

/** Longest time that writers are held up by one try. */
const HOLD_MS = 500;
const POLL_MS = 10;
const LOCK_TIMEOUT_MS = 5_000;
const GIVE_UP_MS = 60_000;

const WAITERS = `
  select pid,
    case when application_name like '%-relay' then 'relay'
         when exists (
           select from pg_locks held where held.pid = session.pid and held.granted
             and held.relation = 'consumed_events'::regclass and held.mode = 'RowExclusiveLock') then 'consumer'
         else 'request' end as kind
  from pg_stat_activity session
  where datname = current_database() and wait_event_type = 'Lock'
    and pg_backend_pid() = any(pg_blocking_pids(pid))`;

/**
 * Locks a table against writers until one of the wanted kind waits for it, in the middle of what it does, and runs
 * `act` while it does. Writers are let through between tries, so that there is something to wait.
 * @throws Error when none has come within a minute
 */
export async function whileWaiting<T>(
  databaseUrl: string,
  table: string,
  kind: Waiter['kind'],
  act: (waiters: Waiter[], query: pg.Client['query']) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'chaos' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    for (const giveUpAt = Date.now() + GIVE_UP_MS; ; await pause(POLL_MS)) {
      const waiters = await lockUntil(client, table, kind);
      if (waiters.length > 0) return await act(waiters, client.query.bind(client) as pg.Client['query']);
      await client.query('rollback');
      if (Date.now() > giveUpAt) throw new Error(`no ${kind} waited for ${table}`);
    }
  } finally {
    await client.end();
  }
}

/** The waiters of this kind once there are any; none when there were none in time. The table stays locked. */
async function lockUntil(client: pg.Client, table: string, kind: Waiter['kind']): Promise<Waiter[]> {
  await client.query('begin');
  try {
    await client.query(`lock table ${table} in share mode`);
  } catch (error) {
    // A writer took longer than we wait.
    if ((error as { code?: string }).code === '55P03') return [];
    throw error;
  }
  for (const deadline = Date.now() + HOLD_MS; Date.now() < deadline; await pause(POLL_MS)) {
    // What the view shows is otherwise kept to the end of the transaction.
    await client.query('select pg_stat_clear_snapshot()');
    const waiters = (await client.query<Waiter>(WAITERS)).rows.filter((waiter) => waiter.kind === kind);
    if (waiters.length > 0) return waiters;
  }
  return [];
}

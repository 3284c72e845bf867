import pg from 'pg';
import { uuidArray } from '../array-parameters.ts';
import { shareCountingSql } from '../organization-locks.ts';
import { preparedSql, type Sql } from '../sql.ts';
import { type Execution, isRefusal, prepare, Trip } from './trip-store.ts';

/** One for each group or large request that may be under way. */
const CONNECTIONS = 5;

/**
 * Connections of ingest's own, so that no other request waits for one behind it. A statement keeps one plan whatever its
 * values are: planning would cost as much as a small group.
 */
export function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS,
    application_name: 'metering ingest',
    // Each statement must see what was committed before it: the one behind the lock, what the lock waited for.
    options: '-c plan_cache_mode=force_generic_plan -c default_transaction_isolation=read\\ committed',
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    connectionTimeoutMillis: 10_000,
  });
  // A connection that ends is replaced by the next one who needs it, and fails what it was busy with; the event, of an
  // idle one as of a busy one, would otherwise end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A transaction of several steps that shares the organizations' counting; their ids are checked UUIDs. */
export async function inSharedTransaction<T>(
  pool: pg.Pool,
  organizations: readonly string[],
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isLost = false;
  try {
    await client.query(`begin; ${shareCountingSql(`'{${organizations.join(',')}}'`)}`);
    const result = await work(preparedSql(client));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      isLost = true;
    });
    throw error;
  } finally {
    client.release(isLost);
  }
}

const SHARE_COUNTING = { name: 'share_counting', text: shareCountingSql('$1') };

/**
 * The same for one statement, all of it sent at once. The statement must see to it (`SHARES_COUNTING`) that it runs
 * behind the lock.
 * @param sendBefore after this moment it is not sent any more, milliseconds since the epoch
 * @returns whether it was committed; false if it was too late, or the database refused it: nothing has changed
 */
export async function inOneTrip(
  pool: pg.Pool,
  organizations: readonly string[],
  statement: Execution,
  sendBefore: number,
): Promise<boolean> {
  const executions = [{ ...SHARE_COUNTING, values: [uuidArray(organizations)] }, statement];
  const client = await pool.connect();
  let isLost = true;
  try {
    await prepare(client, executions);
    const isDone = Date.now() < sendBefore && (await new Trip(executions).go(client));
    isLost = false;
    return isDone;
  } catch (error) {
    isLost = !isRefusal(error);
    if (isLost) throw error;
    return false;
  } finally {
    client.release(isLost);
  }
}

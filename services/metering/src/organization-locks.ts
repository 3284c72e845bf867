import { firstIdOf, idTime, lastIdOf } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';

const COUNTING = 7_411_924;
const REPLAY = 7_411_925;
/** Clocks of several processes may differ by less than this. */
const MAX_CLOCK_SKEW_MS = 3_600_000;

/**
 * Statement by which an ingest keeps organizations' meters and customers as they are until it commits. To the rest of
 * the transaction, and to nobody else, `SHARES_COUNTING` is then true.
 * @param ids SQL of an array of the organizations' ids, sorted
 */
export const shareCountingSql = (ids: string): string => `
  select set_config('tributary.counting', 'shared', true), pg_advisory_xact_lock_shared(hashtextextended(id::text, ${COUNTING}))
  from unnest(${ids}::uuid[]) as id`;

export const SHARES_COUNTING = `current_setting('tributary.counting', true) = 'shared'`;

/** Waits until no ingest of the organization is under way and keeps further ones waiting until the commit. */
export async function holdCounting(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, ${COUNTING}))`, [organizationId]);
}

/** Lets one step at a time go over events that are stored already: a backfill's, or a join's to a customer. */
export async function holdReplay(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, ${REPLAY}))`, [organizationId]);
}

/**
 * Draws a line through the organization's events: returns the greatest id that any stored event can have; every event
 * ingested later gets a greater one, whatever the clock of its process says. Ingest is held until the commit, and then
 * reads the meters anew.
 */
export async function drawLine(tx: Tx, organizationId: string): Promise<string> {
  await holdCounting(tx, organizationId);
  const now = Date.now();
  const [newest]: { id: string }[] = await tx.query(
    'select id from events where id < $1 order by id desc limit 1',
    [firstIdOf(now + MAX_CLOCK_SKEW_MS)],
  );
  const [line]: { ids_after_ms: number }[] = await tx.query(
    `insert into metered_organizations as organization (organization_id, meters_version, ids_after_ms)
     values ($1, 1, $2)
     on conflict (organization_id) do update
       set meters_version = organization.meters_version + 1,
           ids_after_ms = greatest(organization.ids_after_ms, excluded.ids_after_ms)
     returning ids_after_ms`,
    [organizationId, Math.max(now, newest ? idTime(newest.id) : 0)],
  );
  return lastIdOf(line!.ids_after_ms);
}

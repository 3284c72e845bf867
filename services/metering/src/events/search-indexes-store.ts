import type { Database } from '@tributary/runtime/db/transaction.ts';

/**
 * What events are searched by. Keeping these while events come in would cost more than storing the events; a month
 * that is over gets none any more, so its partition is given them once, and only the running month is read through.
 */
const searchIndexes = {
  metadata: 'using gin (metadata jsonb_path_ops)',
  words: 'using gin (name gin_trgm_ops, (metadata::text) gin_trgm_ops)',
  roots: '(organization_id, source, name, timestamp) where parent_id is null',
} as const;

const SEARCH_LOCK = 7_411_927;

/** The index of a partition that is to be made next: the oldest month's that is over and has not all of them. */
const NEXT = `
  select part.relname as partition, kind, found.oid is not null as is_broken
  from pg_inherits
  join pg_class part on part.oid = inhrelid
  cross join unnest($1::text[]) kind
  left join pg_class found on found.relname = part.relname || '_' || kind
    and found.relnamespace = part.relnamespace
  left join pg_index on indexrelid = found.oid
  where inhparent = 'events'::regclass and part.relname ~ '^events_\\d{4}_\\d\\d$' and part.relname < $2
    and indisvalid is not true
  order by 1, 2 limit 1`;

/** Makes one index for searching a month that is over; returns whether there was one to make. */
export async function indexPastMonth(db: Database, now: Date): Promise<boolean> {
  const runner = db.createQueryRunner();
  try {
    const [{ locked }]: [{ locked: boolean }] = await runner.query(
      'select pg_try_advisory_lock($1) as locked',
      [SEARCH_LOCK],
    );
    if (!locked) return false;
    const running = `events_${now.toISOString().slice(0, 7).replace('-', '_')}`;
    const [next]: { partition: string; kind: keyof typeof searchIndexes; is_broken: boolean }[] =
      await runner.query(NEXT, [Object.keys(searchIndexes), running]);
    if (!next) return false;
    const name = `${next.partition}_${next.kind}`;
    await runner.query('set statement_timeout = 0');
    // One whose making was cut off is there and of no use.
    if (next.is_broken) await runner.query(`drop index concurrently ${name}`);
    await runner.query(`create index concurrently ${name} on ${next.partition} ${searchIndexes[next.kind]}`);
    return true;
  } finally {
    await runner.query('set statement_timeout = 30000').catch(() => undefined);
    await runner.query('select pg_advisory_unlock($1)', [SEARCH_LOCK]).catch(() => undefined);
    await runner.release();
  }
}

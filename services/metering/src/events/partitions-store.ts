import { firstIdOf } from '@tributary/proto/id.ts';
import type { Database } from '@tributary/runtime/db/transaction.ts';

/** Partitions made before their month begins. */
const MONTHS_AHEAD = 3;
const PARTITIONS_LOCK = 7_411_926;
const DEFAULT = 'events_default';

interface Month {
  year: number;
  /** 0 is January. */
  month: number;
}

const monthOf = (instant: Date, plus: number): Month => {
  const first = new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + plus));
  return { year: first.getUTCFullYear(), month: first.getUTCMonth() };
};

const nameOf = ({ year, month }: Month) => `events_${year}_${String(month + 1).padStart(2, '0')}`;
const firstId = ({ year, month }: Month) => firstIdOf(Date.UTC(year, month));
const lastMonthOf = (name: string) => {
  const [, year, month] = /^events_(\d{4})_(\d\d)$/.exec(name) ?? [];
  return year === undefined ? undefined : { year: Number(year), month: Number(month) };
};

/**
 * Makes the partitions of this month and the next three. Events that a missing partition sent to the default one move
 * to the new one. Several processes may call it at once.
 */
export async function ensurePartitions(db: Database, now: Date): Promise<void> {
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) await ensurePartition(db, monthOf(now, ahead));
}

async function ensurePartition(db: Database, month: Month): Promise<void> {
  const name = nameOf(month);
  if (await isThere(db, name)) return;
  const [from, to] = [firstId(month), firstId({ year: month.year, month: month.month + 1 })];
  await db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [PARTITIONS_LOCK]);
    if (await isThere(tx, name)) return;
    await tx.query(`create table ${name} (like events including defaults including constraints)`);
    await tx.query(
      `with moved as (delete from ${DEFAULT} where id >= $1 and id < $2 returning *) insert into ${name} select * from moved`,
      [from, to],
    );
    await tx.query(`alter table events attach partition ${name} for values from ('${from}') to ('${to}')`);
  });
}

async function isThere(db: Pick<Database, 'query'>, name: string): Promise<boolean> {
  // A look into the catalog: `to_regclass` may answer from a cache that does not know of other transactions yet.
  const rows: unknown[] = await db.query(
    'select 1 from pg_class where relname = $1 and relnamespace = current_schema()::regnamespace',
    [name],
  );
  return rows.length > 0;
}

/** Drops the oldest partition whose month ended over `keptMonths` months ago; returns whether there was one. */
export async function dropOldPartition(db: Database, now: Date, keptMonths: number): Promise<boolean> {
  const rows: { name: string }[] = await db.query(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`,
  );
  const keepFrom = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keptMonths);
  const old = rows.find(({ name }) => {
    const month = lastMonthOf(name);
    return month !== undefined && Date.UTC(month.year, month.month) <= keepFrom;
  });
  if (!old) return false;
  await db.query(`drop table ${old.name}`);
  return true;
}

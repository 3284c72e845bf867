import { newId } from '@tributary/proto/id.ts';
import { instantText } from '../events/instant.ts';
import { inSlices } from '../ingest/turns.ts';
import type { Sql } from '../sql.ts';
import { RunningTotals, valueHash } from './totals.ts';
import { type Entry, entriesOf, type Usage } from './usage.ts';
import { addedColumns, addToCurrentSql } from './usage-sql.ts';

/** A customer meter whose row is locked. */
interface Head {
  id: string;
  meter_id: string;
  customer_id: string;
  reset_at: Date | null;
}

/** Some entries of one customer meter that fall into one of its periods. */
interface Share {
  head: Head;
  usage: Usage;
  entries: Entry[];
  /** End of the period; null for the current one. */
  ends_at: Date | null;
  starts_at: Date | null;
}

const keyOf = (key: { meter_id: string; customer_id: string }) => key.meter_id + key.customer_id;

/** Most customer meters that one statement adds to. */
export const MAX_USAGES = 5_000;

/**
 * Adds usage to customer meters, in the caller's transaction: the totals are exact when it commits. Each entry counts
 * to the period its timestamp lies in. Rows are locked in the order of `usages`, which must be the same everywhere.
 */
export async function applyUsage(sql: Sql, usages: readonly Usage[], now: Date): Promise<void> {
  const late: Usage[] = [];
  await inSlices(usages.filter(isPlain), MAX_USAGES, async (plain) => {
    const touched = await addToCurrent(sql, plain, now);
    if (touched < plain.length) late.push(...(await lateUsages(sql, plain, now)));
  });
  await addSlowly(sql, late, usages, now);
}

/** Whether adding up is all it takes; `unique` must know which values it has seen. */
export const isPlain = ({ meter }: Usage): boolean => meter.func !== 'unique';

const ADD_TO_CURRENT = `with ${addToCurrentSql('$1', 2)} select count(*)::integer as touched from touched`;

/** The common case, one statement; returns how many of the usages it could add. */
async function addToCurrent(sql: Sql, usages: readonly Usage[], now: Date): Promise<number> {
  const rows = await sql.query<{ touched: number }>('add-to-current', ADD_TO_CURRENT, [
    now,
    ...addedColumns(usages),
  ]);
  return rows[0]!.touched;
}

/**
 * Adds what `addToCurrentSql` could not, of at most `MAX_USAGES`.
 * @param touched how many of the plain usages it did add
 */
export async function applyRest(
  sql: Sql,
  usages: readonly Usage[],
  touched: number,
  now: Date,
): Promise<void> {
  const plain = usages.filter(isPlain);
  const late = touched === plain.length ? [] : await lateUsages(sql, plain, now);
  await addSlowly(sql, late, usages, now);
}

async function addSlowly(
  sql: Sql,
  late: readonly Usage[],
  usages: readonly Usage[],
  now: Date,
): Promise<void> {
  const slow = [...late, ...usages.filter((usage) => !isPlain(usage))];
  await inSlices(slow, MAX_USAGES, (some) => addByPeriod(sql, some, now));
}

/** Usages part of which is older than the latest reset. */
async function lateUsages(sql: Sql, usages: readonly Usage[], now: Date): Promise<Usage[]> {
  const heads = await lockHeads(sql, usages, now);
  return usages.filter(({ meter, customer_id, totals }) => {
    const { reset_at } = heads.get(meter.id + customer_id)!;
    return reset_at !== null && totals.firstAt < reset_at.getTime();
  });
}

/** The other cases: entries of several periods, and meters that must know which values they have seen. */
async function addByPeriod(sql: Sql, usages: readonly Usage[], now: Date): Promise<void> {
  const heads = await lockHeads(sql, usages, now);
  const shares = await sharesOf(sql, usages, heads);
  const distinct = await addValues(sql, shares);
  const rows = shares.map((share) => rowOf(share, distinct));
  await sql.query('add-to-heads', ADD_TO_HEADS, [
    JSON.stringify(rows.filter((row) => row.ends_at === null)),
    now,
  ]);
  await sql.query('add-to-periods', ADD_TO_PERIODS, [
    JSON.stringify(rows.filter((row) => row.ends_at !== null)),
  ]);
  const ids = [...heads.values()].map((head) => head.id);
  await sql.query(
    'mark-used',
    'update customer_meters set is_used = true where id = any($1) and not is_used',
    [ids],
  );
  await sql.query('note-changes', NOTE_CHANGES, [ids]);
}

const LOCK_HEADS = `
  select head.id, head.meter_id, head.customer_id, head.reset_at
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as wanted(organization_id, meter_id, customer_id)
  join customer_meters head using (organization_id, meter_id, customer_id)
  order by head.meter_id, head.customer_id
  for update of head`;

const INSERT_HEADS = `
  insert into customer_meters (id, organization_id, meter_id, customer_id, is_used, created_at)
  select new.id, new.organization_id, new.meter_id, new.customer_id, true, $5
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) as new(organization_id, meter_id, customer_id, id)
  order by new.meter_id, new.customer_id
  on conflict (organization_id, meter_id, customer_id) do nothing
  returning id, meter_id, customer_id, reset_at`;

async function lockHeads(sql: Sql, usages: readonly Usage[], now: Date): Promise<Map<string, Head>> {
  const columns = (wanted: readonly Usage[]) => [
    wanted.map(({ meter }) => meter.organization_id),
    wanted.map(({ meter }) => meter.id),
    wanted.map(({ customer_id }) => customer_id),
  ];
  const heads = new Map<string, Head>();
  const keep = (rows: Head[]) => {
    for (const row of rows) heads.set(keyOf(row), row);
    return usages.filter(({ meter, customer_id }) => !heads.has(meter.id + customer_id));
  };
  let missing = keep(await sql.query<Head>('lock-heads', LOCK_HEADS, columns(usages)));
  // A row that somebody else inserts meanwhile is there at the second look.
  if (missing.length > 0) {
    const ids = missing.map(() => newId());
    missing = keep(await sql.query<Head>('insert-heads', INSERT_HEADS, [...columns(missing), ids, now]));
  }
  if (missing.length > 0) missing = keep(await sql.query<Head>('lock-heads', LOCK_HEADS, columns(missing)));
  if (missing.length > 0) throw new Error('a customer meter is neither there nor can it be inserted');
  return heads;
}

async function sharesOf(sql: Sql, usages: readonly Usage[], heads: Map<string, Head>): Promise<Share[]> {
  const shares: Share[] = [];
  const late: { head: Head; usage: Usage; entries: Entry[] }[] = [];
  for (const usage of usages) {
    const head = heads.get(usage.meter.id + usage.customer_id)!;
    const reset = head.reset_at?.getTime() ?? Number.NEGATIVE_INFINITY;
    const entries = entriesOf(usage);
    const current = entries.filter((entry) => entry.timestamp >= reset);
    if (current.length > 0) {
      shares.push({ head, usage, entries: current, ends_at: null, starts_at: head.reset_at });
    }
    if (current.length < entries.length) {
      late.push({ head, usage, entries: entries.filter((entry) => entry.timestamp < reset) });
    }
  }
  if (late.length > 0) shares.push(...(await lateShares(sql, late)));
  return shares;
}

interface Period {
  meter_id: string;
  customer_id: string;
  ends_at: Date;
  starts_at: Date | null;
}

const PERIODS = `
  select period.meter_id, period.customer_id, period.ends_at, period.starts_at
  from unnest($1::uuid[], $2::uuid[]) as late(meter_id, customer_id)
  join usage_periods period using (meter_id, customer_id)
  order by period.ends_at`;

/** Earlier periods follow one another without a gap up to the latest reset, so each entry has exactly one. */
async function lateShares(
  sql: Sql,
  late: { head: Head; usage: Usage; entries: Entry[] }[],
): Promise<Share[]> {
  const rows = await sql.query<Period>('periods', PERIODS, [
    late.map(({ head }) => head.meter_id),
    late.map(({ head }) => head.customer_id),
  ]);
  const periods = Map.groupBy(rows, keyOf);
  return late.flatMap(({ head, usage, entries }) => {
    const own = periods.get(keyOf(head)) ?? [];
    const byPeriod = Map.groupBy(entries, (entry) =>
      own.find((period) => entry.timestamp < period.ends_at.getTime()),
    );
    return [...byPeriod].map(([period, share]) => {
      if (!period) throw new Error(`customer meter ${head.id} has no period for a late event`);
      return { head, usage, entries: share, ends_at: period.ends_at, starts_at: period.starts_at };
    });
  });
}

const INSERT_VALUES = `
  with added as (
    insert into usage_values (meter_id, customer_id, period_start, value_hash)
    select meter_id, customer_id, coalesce(starts_at, '-infinity'), value_hash
    from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[]) as seen(meter_id, customer_id, starts_at, value_hash)
    on conflict do nothing
    returning meter_id, customer_id, period_start
  )
  select meter_id, customer_id, nullif(period_start, '-infinity') as starts_at, count(*) as distinct_count
  from added group by meter_id, customer_id, period_start`;

const periodKey = (row: { meter_id: string; customer_id: string; starts_at: Date | null }) =>
  `${keyOf(row)}${row.starts_at?.getTime() ?? ''}`;

/** Notes the values `unique` meters see; returns how many of them are new, by period. */
async function addValues(sql: Sql, shares: readonly Share[]): Promise<Map<string, number>> {
  const seen = shares
    .filter(({ usage }) => usage.meter.func === 'unique')
    .flatMap(({ head, starts_at, entries }) =>
      [...new Set(entries.map((entry) => valueHash(entry.quantity as string)))].map((value_hash) => ({
        ...head,
        starts_at,
        value_hash,
      })),
    );
  if (seen.length === 0) return new Map();
  const rows = await sql.query<{
    meter_id: string;
    customer_id: string;
    starts_at: Date | null;
    distinct_count: number;
  }>('values', INSERT_VALUES, [
    seen.map((value) => value.meter_id),
    seen.map((value) => value.customer_id),
    seen.map((value) => value.starts_at),
    seen.map((value) => value.value_hash),
  ]);
  return new Map(rows.map((row) => [periodKey(row), row.distinct_count]));
}

function rowOf(share: Share, distinct: Map<string, number>) {
  const totals = new RunningTotals();
  for (const { timestamp, quantity } of share.entries) totals.add(timestamp, quantity);
  const { id, meter_id, customer_id } = share.head;
  return {
    id,
    meter_id,
    customer_id,
    count: totals.count,
    sum: totals.sum,
    max: totals.max,
    min: totals.min,
    first_at: instantText(totals.firstAt),
    last_at: instantText(totals.lastAt),
    distinct_count: distinct.get(periodKey({ ...share.head, starts_at: share.starts_at })) ?? 0,
    ends_at: share.ends_at,
  };
}

const ADDED = `jsonb_to_recordset($1::jsonb) as added(
    id uuid, meter_id uuid, customer_id uuid, count bigint, sum numeric, max numeric, min numeric,
    first_at timestamptz, last_at timestamptz, distinct_count bigint, ends_at timestamptz)`;

const ADDING = `
  measured_count = measured_count + added.count,
  measured_sum = measured_sum + added.sum,
  measured_max = greatest(measured_max, added.max),
  measured_min = least(measured_min, added.min),
  distinct_count = total.distinct_count + added.distinct_count,
  first_event_at = least(first_event_at, added.first_at),
  last_event_at = greatest(last_event_at, added.last_at)`;

const ADD_TO_HEADS = `
  update customer_meters total
  set ${ADDING}, modified_at = case when total.created_at = $2 then total.modified_at else $2 end
  from ${ADDED} where total.id = added.id`;

/** A late event makes the customer meter appear too, though it leaves the current period as it is. */
const ADD_TO_PERIODS = `
  update usage_periods total set ${ADDING}
  from ${ADDED}
  where total.meter_id = added.meter_id and total.customer_id = added.customer_id and total.ends_at = added.ends_at`;

const NOTE_CHANGES = `
  insert into customer_meter_changes (organization_id, id)
  select organization_id, id from customer_meters where id = any($1) order by organization_id, id
  on conflict do nothing`;

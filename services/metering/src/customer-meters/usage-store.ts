import { newId } from '@tributary/runtime/db/id.ts';
import type { Sql } from '../sql.ts';
import { consumedSql, type Entry, totalsOf, valueHash } from './totals.ts';
import type { Usage } from './usage.ts';

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

/**
 * Adds usage to customer meters, in the caller's transaction: the totals are exact when it commits. Each entry counts
 * to the period its timestamp lies in. Rows are locked in the order of `usages`, which must be the same everywhere.
 */
export async function applyUsage(sql: Sql, usages: readonly Usage[], now: Date): Promise<void> {
  if (usages.length === 0) return;
  const heads = await lockHeads(sql, usages, now);
  const shares = await sharesOf(sql, usages, heads);
  const distinct = await addValues(sql, shares);
  await addToCurrent(sql, shares, distinct, now);
  await addToEarlier(sql, shares, distinct);
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
    const current = usage.entries.filter((entry) => entry.timestamp >= reset);
    if (current.length > 0) {
      shares.push({ head, usage, entries: current, ends_at: null, starts_at: head.reset_at });
    }
    if (current.length < usage.entries.length) {
      late.push({ head, usage, entries: usage.entries.filter((entry) => entry.timestamp < reset) });
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
  const { count, sum, max, min, last } = totalsOf(share.entries);
  const distinct_count = distinct.get(periodKey({ ...share.head, starts_at: share.starts_at })) ?? 0;
  const { meter_id, customer_id, id } = share.head;
  const last_at = new Date(last).toISOString();
  const { func } = share.usage.meter;
  return {
    id,
    meter_id,
    customer_id,
    func,
    count,
    sum,
    max,
    min,
    last_at,
    distinct_count,
    ends_at: share.ends_at,
  };
}

const ADDED = `jsonb_to_recordset($1::jsonb) as added(
    id uuid, meter_id uuid, customer_id uuid, func text, count bigint, sum numeric, max numeric, min numeric,
    last_at timestamptz, distinct_count bigint, ends_at timestamptz)`;

const sums = (row: string) => `
    ${row}.measured_count + added.count as measured_count,
    ${row}.measured_sum + added.sum as measured_sum,
    greatest(${row}.measured_max, added.max) as measured_max,
    least(${row}.measured_min, added.min) as measured_min,
    ${row}.distinct_count + added.distinct_count as distinct_count,
    greatest(${row}.last_event_at, added.last_at) as last_event_at`;

const ADD_TO_CURRENT = `
  update customer_meters head
  set is_used = true,
      is_published = false,
      measured_count = total.measured_count,
      measured_sum = total.measured_sum,
      measured_max = total.measured_max,
      measured_min = total.measured_min,
      distinct_count = total.distinct_count,
      last_event_at = total.last_event_at,
      consumed_units = ${consumedSql('total.func', 'total')},
      modified_at = case when head.created_at = $2 then head.modified_at else $2 end
  from (
    select added.id, added.func, ${sums('row')}
    from ${ADDED} join customer_meters row on row.id = added.id
  ) total
  where head.id = total.id`;

async function addToCurrent(
  sql: Sql,
  shares: readonly Share[],
  distinct: Map<string, number>,
  now: Date,
): Promise<void> {
  const rows = shares.filter((share) => share.ends_at === null).map((share) => rowOf(share, distinct));
  if (rows.length > 0) await sql.query('add-to-current', ADD_TO_CURRENT, [JSON.stringify(rows), now]);
}

const ADD_TO_EARLIER = `
  update usage_periods period
  set measured_count = total.measured_count,
      measured_sum = total.measured_sum,
      measured_max = total.measured_max,
      measured_min = total.measured_min,
      distinct_count = total.distinct_count,
      last_event_at = total.last_event_at
  from (
    select added.meter_id, added.customer_id, added.ends_at, ${sums('row')}
    from ${ADDED} join usage_periods row using (meter_id, customer_id, ends_at)
  ) total
  where period.meter_id = total.meter_id and period.customer_id = total.customer_id
    and period.ends_at = total.ends_at`;

/** A late event makes the customer meter appear too, though it leaves the current period as it is. */
async function addToEarlier(
  sql: Sql,
  shares: readonly Share[],
  distinct: Map<string, number>,
): Promise<void> {
  const late = shares.filter((share) => share.ends_at !== null);
  if (late.length === 0) return;
  await sql.query('add-to-earlier', ADD_TO_EARLIER, [
    JSON.stringify(late.map((share) => rowOf(share, distinct))),
  ]);
  await sql.query(
    'mark-used',
    'update customer_meters set is_used = true, is_published = false where id = any($1) and not is_used',
    [late.map((share) => share.head.id)],
  );
}

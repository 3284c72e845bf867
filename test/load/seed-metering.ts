import { indexPastMonth } from '@tributary/metering/events/search-indexes-store.ts';
import { openDatabase } from '@tributary/runtime/db/data-source.ts';
import { customerOf } from './seed-commerce.ts';
import { idOf, type Seeder, timeOf } from './seed-table.ts';

const NAMES = 50;
const CONSUMED = 'seed.pick(i, 10000)';
const CREDITED = 'seed.pick(i, 5000)';
/** One of twenty meters of the row's organization. */
const meterOf = (rows: number) => idOf('meter', rows, 'seed.pick(i, 20) * 10 + i % 10');

export async function seedMetering(seeder: Seeder): Promise<void> {
  const { rows, fill, query } = seeder;
  const organization_id = `seed.organization('${seeder.organizationId}', i)`;
  const common = { created_at: timeOf(rows), modified_at: 'null', organization_id };
  const changedAt = timeOf(rows, `seed.pick(i, ${rows})`);
  await fill('meters', {
    ...common,
    id: idOf('meter', rows),
    name: `'Meter ' || seed.word(i)`,
    archived_at: 'case when i > 1000 and seed.pick(i, 1000) = 0 then now() end',
    is_backfilled: 'true',
    is_clearing: 'false',
    metadata: `jsonb_build_object('plan', seed.pick(i, 5), 'ref', 'ref-' || i)`,
  });
  await fill('customer_meters', {
    ...common,
    id: idOf('customerMeter', rows),
    meter_id: meterOf(rows),
    customer_id: idOf('customer', rows),
    is_used: 'true',
    credited_units: CREDITED,
    measured_count: CONSUMED,
    modified_at: changedAt,
  });
  await fill('customer_meter_ranks', {
    id: idOf('customerMeter', rows),
    organization_id,
    modified_at: changedAt,
    consumed_units: CONSUMED,
    credited_units: CREDITED,
    balance: `${CREDITED} - ${CONSUMED}`,
  });
  await fill('customers_replica', {
    id: idOf('customer', rows),
    organization_id,
    value: `made.value || jsonb_build_object('id', ${idOf('customer', rows)}, 'organization_id', ${organization_id},
      'external_id', 'ext-' || i, 'email', 'person' || i || '@example.com', 'name', 'Person ' || seed.word(i))`,
  });
  await fill('customer_external_ids', {
    organization_id,
    external_id: `'ext-' || i`,
    customer_id: idOf('customer', rows),
    is_current: 'true',
  });
  await makePartitions(query);
  await fill('events', {
    id: idOf('event', rows),
    organization_id,
    timestamp: timeOf(rows),
    customer_id: customerOf(rows),
    external_customer_id: 'null',
    member_id: 'null',
    parent_id: `case when seed.pick(i, 50) = 0 then ${idOf('event', rows, 'i - i % 1000')} end`,
    source: `case when i % 7 = 0 then 'system' else 'user' end`,
    name: `'call_' || seed.pick(i, ${NAMES})`,
    metadata: `jsonb_build_object('plan', seed.pick(i, 5), 'ref', 'ref-' || i, 'ms', seed.pick(i, 1000))`,
  });
  await indexPastMonths(seeder.url);
  await query(`
    insert into event_tallies (organization_id, source, name, shard, occurrences, first_seen, last_seen)
    select organization_id, source, name, 0, count(*), min(timestamp), max(timestamp) from events group by 1, 2, 3
    on conflict (organization_id, source, name, shard) do update set occurrences = excluded.occurrences;
    update event_tallies set occurrences = 0 where shard > 0;
    analyze event_tallies`);
}

/** As metering's own job does it. */
async function indexPastMonths(url: string): Promise<void> {
  const db = await openDatabase({ url, entities: [], migrations: [] });
  while (await indexPastMonth(db, new Date()));
  await db.destroy();
}

/** The months before the first one that the service itself has made a partition for. */
const makePartitions = (query: Seeder['query']) =>
  query(`do $$
    declare month timestamptz; name text;
    begin
      for month in select generate_series(timestamptz '2025-09-01 00:00+00', '2026-07-01 00:00+00', '1 month') loop
        name := 'events_' || to_char(month at time zone 'utc', 'YYYY_MM');
        if to_regclass(name) is null then
          execute format('create table %I partition of events for values from (%L) to (%L)', name,
            (rpad(lpad(to_hex((extract(epoch from month) * 1000)::bigint), 12, '0'), 32, '0'))::uuid,
            (rpad(lpad(to_hex((extract(epoch from month + interval '1 month') * 1000)::bigint), 12, '0'), 32, '0'))::uuid);
        end if;
      end loop;
    end $$`);

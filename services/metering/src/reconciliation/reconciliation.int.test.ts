import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { type BooksUnderTest, booksUnderTest } from '@tributary/runtime/testing/books.ts';
import { closePeriod } from '../customer-meters/reset-store.ts';
import { noteFirsts } from '../first-events/note-first-events.flow.ts';
import { reconciliation } from '../reconciliation.ts';
import { createWorld, named, type World } from '../testing/world.ts';

let world: World;
let books: BooksUnderTest;
let organization: string;
beforeAll(async () => {
  world = await createWorld();
  organization = world.organization;
  books = booksUnderTest(world.app.db, reconciliation(undefined), () => world.clock.now());
  const meters = [];
  for (const func of ['count', 'sum', 'max', 'unique'] as const) {
    const property = func === 'unique' ? 'user' : 'tokens';
    const aggregation = func === 'count' ? { func } : { func, property };
    meters.push(await world.createMeter({ aggregation }));
  }
  const customers = [await world.addCustomer(), await world.addCustomer({ external_id: 'known' })];
  const use = (who: object, minute: number, tokens: number) => ({
    name: 'api_call',
    ...who,
    external_id: newId(),
    timestamp: new Date(Date.parse('2026-06-15T11:00:00Z') + minute * 60_000).toISOString(),
    metadata: { tokens, user: `user ${tokens % 3}` },
  });
  const early = Array.from({ length: 20 }, (_, n) => use({ customer_id: customers[n % 2]!.id }, n, n + 0.25));
  await world.ingest(early);
  await world.ingest([...early, ...early, use({ external_customer_id: 'known' }, 3, 7)]);
  for (const meter of meters) {
    await world.app.db.transaction((tx) =>
      closePeriod(
        tx,
        { organization_id: organization, meter_id: meter.id, customer_id: customers[0]!.id },
        new Date('2026-06-15T11:10:00Z'),
        world.clock.now(),
      ),
    );
  }
  await world.ingest([
    use({ customer_id: customers[0]!.id }, 2, 3),
    use({ customer_id: customers[0]!.id }, 30, 9),
    use({ external_customer_id: 'a stranger' }, 30, 9),
  ]);
  await world.addCustomer({ external_id: 'a stranger' });
  await world.createMeter({ filter: named('api_call') });
  world.clock.advance({ minutes: 5 });
  const settled = new Date(Date.now() + 60_000);
  while (await inTransaction(world.app.db, (tx) => noteFirsts(tx, 1_000, settled)));
}, 60_000);
afterAll(() => world?.stop());

test('repeats, resets, late events, strangers who became customers, and a meter over the past add up', async () => {
  expect(await books.broken()).toEqual([]);
});

const today = () => new Date().toISOString().slice(0, 10);
const TOTALS = ['customer meters: entries counted', 'customer meters: totals other than their events say'];

test.each([
  [
    'an event is stored twice',
    'events',
    `insert into events select gen_random_uuid(), organization_id, customer_id, member_id, parent_id, timestamp, source, name,
       external_customer_id, external_member_id, metadata
     from events where customer_id is not null and source = 'user' limit 1`,
    () => [...TOTALS],
  ],
  [
    'a repeat was not counted as one',
    'event_receipts',
    'update event_receipts set duplicates = duplicates - 1',
    () => [
      'events: received are repeats and counted, of users',
      'events: organizations where they are not',
      `events: counted are stored, ${today()}`,
    ],
  ],
  [
    'a name was counted too often',
    'event_tallies',
    `update event_tallies set occurrences = occurrences + 1 where source = 'user'`,
    () => ['events: received are repeats and counted, of users', 'events: organizations where they are not'],
  ],
  [
    'a total is off',
    'customer_meters',
    'update customer_meters set measured_count = measured_count + 1 where id = (select id from customer_meters limit 1)',
    () => TOTALS,
  ],
  [
    'a sum is off by less than a number can tell',
    'customer_meters',
    `update customer_meters set measured_sum = measured_sum + 0.0000000000000000000001
     where meter_id = (select id from meters where aggregation ->> 'func' = 'sum')`,
    () => TOTALS.slice(1),
  ],
  [
    'an extreme is off',
    'customer_meters',
    `update customer_meters set measured_max = measured_max + 100 where meter_id = (select id from meters where aggregation ->> 'func' = 'max')`,
    () => TOTALS.slice(1),
  ],
  [
    'an earlier period is lost',
    'usage_periods',
    `delete from usage_periods where meter_id = (select id from meters where aggregation ->> 'func' = 'count' order by id limit 1)`,
    () => ['customer meters: periods with gaps', ...TOTALS],
  ],
  [
    "a customer's first event was passed by",
    'first_user_events',
    `update first_user_events set timestamp = timestamp + interval '1 second'`,
    () => ['customer meters: of customers whose first event is not known'],
  ],
  [
    'credits are made up',
    'customer_meters',
    'update customer_meters set credited_units = 5 where id = (select id from customer_meters limit 1)',
    () => ['customer meters: credited other than their credits say'],
  ],
])('says so when %s', async (_what, table, sql, names) => {
  expect(await books.brokenBy(table, sql)).toEqual(names());
});

test('the day on which counting began is left out where there were events before', async () => {
  const old = `insert into event_receipts select organization_id, '-infinity', shard, received, duplicates
    from event_receipts where day = current_date; update event_receipts set received = 0 where day = current_date`;
  const broken = await books.brokenBy('event_receipts', old);
  expect(broken.filter((name) => name.includes('stored'))).toEqual([]);
});

test('events that are lost are missed', async () => {
  await world.app.db.query(
    `delete from events where id = (select id from events where customer_id is not null and source = 'user' limit 1)`,
  );
  expect(await books.broken()).toEqual([`events: counted are stored, ${today()}`, ...TOTALS]);
});

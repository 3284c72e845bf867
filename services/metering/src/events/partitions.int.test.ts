import { newId } from '@tributary/proto/id.ts';
import { createWorld, type World } from '../testing/world.ts';
import { dropOldPartition, ensurePartitions } from './partitions-store.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const partitions = async (): Promise<string[]> =>
  (
    await world.app.db.query(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1`,
    )
  ).map((row: { name: string }) => row.name);

const store = (at: string) =>
  world.app.db.query(
    `insert into events (id, organization_id, timestamp, source, name, metadata)
     values ($1, $2, $3, 'user', 'old', '{}') returning id, tableoid::regclass::text as partition`,
    [newId(Date.parse(at)), world.organization, '1999-01-01T00:00:00Z'],
  );

test('months are made ahead, and take over what went to the default partition meanwhile', async () => {
  const [{ id, partition }] = await store('2031-03-10T00:00:00Z');
  expect(partition).toBe('events_default');
  const now = new Date('2031-01-31T23:00:00Z');
  await Promise.all([ensurePartitions(world.app.db, now), ensurePartitions(world.app.db, now)]);
  expect(await partitions()).toEqual([
    'events_2031_01',
    'events_2031_02',
    'events_2031_03',
    'events_2031_04',
    'events_default',
  ]);
  const [moved] = await world.app.db.query(
    'select tableoid::regclass::text as partition from events where id = $1',
    [id],
  );
  expect(moved.partition).toBe('events_2031_03');
  expect((await store('2031-01-31T23:59:59.999Z'))[0].partition).toBe('events_2031_01');
  expect((await store('2031-02-01T00:00:00Z'))[0].partition).toBe('events_2031_02');
  const { body } = await world.service.request('GET', `/v1/events/${id}`, { as: world.merchant });
  expect(body.id).toBe(id);
});

test('a partition has the indexes of the whole', async () => {
  const indexes = await world.app.db.query(
    `select count(*) from pg_indexes where tablename = 'events_2031_01'`,
  );
  const whole = await world.app.db.query(`select count(*) from pg_indexes where tablename = 'events'`);
  expect(indexes).toEqual(whole);
});

test('partitions past their time are dropped, one at a time', async () => {
  const now = new Date('2031-04-15T00:00:00Z');
  expect(await dropOldPartition(world.app.db, now, 2)).toBe(true);
  expect(await dropOldPartition(world.app.db, now, 2)).toBe(false);
  expect(await partitions()).toEqual([
    'events_2031_02',
    'events_2031_03',
    'events_2031_04',
    'events_default',
  ]);
});

import { newId } from '@tributary/proto/id.ts';
import { createWorld, type World } from '../testing/world.ts';
import { foldReceipts } from './fold-receipts-store.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

test('old days become one sum, in bounded steps; recent ones stay', async () => {
  const { db } = world.app;
  const organization = newId();
  await db.query(
    `insert into event_receipts (organization_id, day, shard, received, duplicates)
     select $1, day, shard, 10, 1
     from (values ('-infinity'::date), ('2026-01-01'), ('2026-01-02'), ('2026-06-01')) as days(day), generate_series(0, 1) shard`,
    [organization],
  );
  const now = new Date('2026-06-15T12:00:00Z');
  expect(await foldReceipts(db, now, 3)).toBe(true);
  expect(await foldReceipts(db, now, 3)).toBe(false);
  expect(
    await db.query(
      `select day::text, sum(received)::integer as received, sum(duplicates)::integer as duplicates
       from event_receipts where organization_id = $1 group by day order by day`,
      [organization],
    ),
  ).toEqual([
    { day: '-infinity', received: 60, duplicates: 6 },
    { day: '2026-06-01', received: 20, duplicates: 2 },
  ]);
});

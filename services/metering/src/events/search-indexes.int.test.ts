import { newId } from '@tributary/proto/id.ts';
import { createWorld, type World } from '../testing/world.ts';
import { ensurePartitions } from './partitions-store.ts';
import { indexPastMonth } from './search-indexes-store.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await ensurePartitions(world.app.db, new Date('2031-01-15T00:00:00Z'));
});
afterAll(() => world?.stop());

const searchIndexes = async (): Promise<string[]> =>
  (
    await world.app.db.query(
      `select indexrelid::regclass::text as name from pg_index
       where indrelid::regclass::text ~ '^events_2031' and indexrelid::regclass::text ~ '(metadata|roots|words)$'
         and indisvalid
       order by 1`,
    )
  ).map((row: { name: string }) => row.name);

test('a month is given what it is searched by once it is over, and nothing twice', async () => {
  const during = new Date('2031-01-31T23:00:00Z');
  while (await indexPastMonth(world.app.db, during));
  expect(await searchIndexes()).toEqual([]);

  const after = new Date('2031-02-01T00:00:00Z');
  await world.app.db.query('create index events_2031_01_roots on events_2031_01 (name)');
  await world.app.db.query(
    `update pg_index set indisvalid = false where indexrelid = 'events_2031_01_roots'::regclass`,
  );
  while (await indexPastMonth(world.app.db, after));
  expect(await searchIndexes()).toEqual([
    'events_2031_01_metadata',
    'events_2031_01_roots',
    'events_2031_01_words',
  ]);
});

test('events of such a month are found by metadata and by words', async () => {
  const id = newId(Date.parse('2031-01-10T00:00:00Z'));
  await world.app.db.query(
    `insert into events (id, organization_id, timestamp, source, name, metadata)
     values ($1, $2, '2031-01-10T00:00:00Z', 'user', 'old', '{"ref": "needle", "n": 5}')`,
    [id, world.organization],
  );
  const clause = (value: unknown, property: string) =>
    encodeURIComponent(
      JSON.stringify({ conjunction: 'and', clauses: [{ property, operator: 'eq', value }] }),
    );
  for (const query of [
    'metadata[ref]=needle',
    'metadata[n]=5',
    `filter=${clause('needle', 'metadata.ref')}`,
    `filter=${clause(5, 'n')}`,
    `organization_id=${world.organization}&query=NEEDL`,
  ]) {
    const { status, body } = await world.service.request('GET', `/v1/events/?${query}`, {
      as: world.merchant,
    });
    expect([query, status, body.items?.map((event: { id: string }) => event.id)]).toEqual([query, 200, [id]]);
  }
});

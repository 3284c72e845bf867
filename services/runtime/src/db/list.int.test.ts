import { EntitySchema, type MigrationInterface, type QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { integer, nullable, uuid } from './columns.ts';
import { pageOf } from './list.ts';

interface Thing {
  id: string;
  organization_id: string;
  rank: number | null;
}

const things = new EntitySchema<Thing>({
  name: 'things',
  columns: { id: { ...uuid, primary: true }, organization_id: uuid, rank: nullable(integer) },
});

/** More rows than are sorted without reading each organization's in order; a rank in ten is missing. */
const ROWS = 4_400;
const organizationOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;

class CreateThings1700000000000 implements MigrationInterface {
  name = 'CreateThings1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table things (id uuid primary key, organization_id uuid not null, rank integer);
      create index things_rank on things (organization_id, rank nulls first, id);
      insert into things select gen_random_uuid(), ('00000000-0000-4000-8000-00000000000' || i % 4)::uuid,
        case when i % 10 > 0 then hashint4(i) % 500 end from generate_series(1, ${ROWS}) i;
      analyze things`);
  }
  async down(): Promise<void> {}
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('list', {
    entities: [things],
    migrations: [CreateThings1700000000000],
  });
});
afterAll(() => database?.drop());

const listed = (organizations: readonly string[], direction: 'ASC' | 'DESC', page: number, limit: number) =>
  pageOf(
    database.db.getRepository(things).createQueryBuilder('thing'),
    { page, limit },
    [{ by: 'rank', direction }],
    { rank: 'thing.rank' },
    { organizations },
  );

describe.each(['ASC', 'DESC'] as const)('pages that sort %s', (direction) => {
  const sorted = (organizations: readonly string[]): Promise<Thing[]> =>
    database.db.query(
      `select * from things where organization_id = any($1)
       order by rank ${direction} nulls ${direction === 'ASC' ? 'first' : 'last'}, id ${direction}`,
      [organizations],
    );

  test.each([1, 2, 4])('hold the rows of %i organizations in order', async (count) => {
    const organizations = Array.from({ length: count }, (_, number) => organizationOf(number));
    const all = await sorted(organizations);
    for (const [page, limit] of [
      [1, 10],
      [7, 100],
      [Math.ceil(all.length / 100), 100],
    ] as const) {
      const { items, total } = await listed(organizations, direction, page, limit);
      expect(total).toBe(all.length);
      expect(items).toEqual(all.slice((page - 1) * limit, page * limit));
    }
  });
});

test('a page after the last one is empty and knows the number of rows', async () => {
  expect(await listed([organizationOf(0)], 'ASC', 1_000, 100)).toEqual({ items: [], total: ROWS / 4 });
});

test('who reaches no organization sees no rows', async () => {
  expect(await listed([], 'ASC', 1, 10)).toEqual({ items: [], total: 0 });
});

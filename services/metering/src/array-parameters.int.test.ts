import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@tributary/runtime/testing/database.ts';
import fc from 'fast-check';
import {
  InstantArray,
  JsonbArray,
  numberArray,
  TextArray,
  UuidArray,
  unnestSql,
} from './array-parameters.ts';
import { entities, migrations } from './database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('metering', { entities, migrations });
});
afterAll(() => database?.drop());

const storable = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .filter((text) => !text.includes('\0') && text.isWellFormed());
const row = fc.record({
  id: fc.option(fc.uuid()),
  name: fc.option(storable),
  timestamp: fc.option(
    fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }),
  ),
  metadata: fc.option(
    fc.dictionary(storable, fc.oneof(storable, fc.integer(), fc.boolean(), fc.constant(null))),
  ),
  amount: fc.option(fc.oneof(fc.integer(), fc.constantFrom('12345678901234567890.000000000001', '-0.5'))),
});

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const READ = `
  select id::text as id, name, (extract(epoch from timestamp) * 1000)::bigint::text as timestamp, metadata::text as metadata,
    amount::text as amount
  from ${unnestSql(1, ['uuid', 'text', 'timestamptz', 'jsonb', 'numeric'])} with ordinality
    as row(id, name, timestamp, metadata, amount, number)
  order by number`;

function parametersOf(rows: readonly Row[]) {
  const [ids, names, timestamps, metadata] = [
    new UuidArray(),
    new TextArray(),
    new InstantArray(),
    new JsonbArray(),
  ];
  for (const { id, name, timestamp, metadata: value } of rows) {
    ids.add(id);
    names.add(name);
    timestamps.add(timestamp);
    metadata.add(value && JSON.stringify(value));
  }
  return [
    ids.value,
    names.value,
    timestamps.value,
    metadata.value,
    numberArray(rows.map(({ amount }) => amount)),
  ];
}

test('PostgreSQL reads the very values that were added, nulls in between included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 60 }), async (rows) => {
      const read: Record<string, string | null>[] = await database.db.query(READ, parametersOf(rows));
      expect(
        read.map(({ metadata, amount, ...others }) => ({
          ...others,
          metadata: metadata == null ? null : JSON.parse(metadata),
          amount,
        })),
      ).toEqual(
        rows.map(({ id, name, timestamp, metadata, amount }) => ({
          id,
          name,
          timestamp: timestamp === null ? null : String(timestamp),
          metadata,
          amount: amount === null ? null : String(amount),
        })),
      );
    }),
    { numRuns: 60 },
  );
});

test('a list outgrows its first thousand bytes, and ids may be in capitals', async () => {
  const wanted = Array.from({ length: 5_000 }, () => randomUUID());
  const ids = new UuidArray();
  for (const id of wanted) ids.add(id.toUpperCase());
  const [row]: { ids: string[] }[] = await database.db.query('select $1::uuid[]::text[] as ids', [ids.value]);
  expect(row!.ids).toEqual(wanted);
});

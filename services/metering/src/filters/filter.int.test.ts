import { createTestDatabase, type TestDatabase } from '@tributary/runtime/testing/database.ts';
import fc from 'fast-check';
import { entities, migrations } from '../database.ts';
import { Conditions } from '../sql.ts';
import { compileFilter } from './filter.ts';
import type { Measured } from './property.ts';
import { type Filter, type FilterClause, FilterOperator } from './schema.ts';
import { filterSql } from './sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('metering', { entities, migrations });
});
afterAll(() => database?.drop());

const keys = [
  'a',
  'b',
  'metadata.a',
  'a.b',
  '_cost.amount',
  '_llm.model',
  '_llm.total_tokens',
  '_cost',
  '__proto__',
];
const text = fc.oneof(
  fc.constantFrom('', '1', '1.5', 'true', '%', '_', 'Z', 'a', 'ä', '\u{1f600}', '\uffff', '-1', '0.0000001'),
  fc
    .string({ unit: 'grapheme', maxLength: 4 })
    .filter((value) => !value.includes('\0') && value.isWellFormed()),
);
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, 1e-7, -1.25, 2_147_483_647, 9_007_199_254_740_991),
);
const value = fc.oneof(
  text.filter((sent) => sent !== ''),
  number,
  fc.boolean(),
);

const event: fc.Arbitrary<Measured> = fc.record({
  name: text,
  source: fc.constantFrom('user' as const, 'system' as const),
  timestamp: fc.constantFrom(0, 500, 1_000, 1_767_225_600_000, 1_767_225_600_123),
  metadata: fc
    .record(
      {
        a: value,
        b: value,
        'a.b': value,
        _cost: fc.record({
          amount: fc.constantFrom('0', '1', '0.25', '-2', '1.000000000001'),
          currency: fc.constant('usd'),
        }),
        _llm: fc.record({ model: text, total_tokens: fc.integer({ min: 0, max: 3 }) }),
      },
      { requiredKeys: [] },
    )
    .map((metadata): Record<string, unknown> => metadata),
});

const clause: fc.Arbitrary<FilterClause> = fc.record({
  property: fc.constantFrom('name', 'source', 'timestamp', 'metadata.name', ...keys),
  operator: fc.constantFrom(...FilterOperator.options),
  value: fc.oneof(
    text,
    fc.constantFrom('user', 'system', '0.25', '1767225600.123'),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(1_767_225_600, -2_147_483_648),
    fc.boolean(),
  ),
});

const filter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.record({
    conjunction: fc.constantFrom('and' as const, 'or' as const),
    clauses: fc.array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, clause, tie('filter')), {
      maxLength: 3,
    }),
  }),
})).filter;

test('SQL and the process agree about every event and filter', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), filter, async (events, formula) => {
      const conditions = new Conditions();
      const rows = conditions.bind(
        JSON.stringify(events.map((one) => ({ ...one, timestamp: new Date(one.timestamp) }))),
      );
      const holds = filterSql(formula, 'event', conditions);
      const answers: { holds: boolean }[] = await database.db.query(
        `select ${holds} as holds
         from rows from (jsonb_to_recordset(${rows}::jsonb) as (name text, source text, timestamp timestamptz, metadata jsonb))
           with ordinality as event(name, source, timestamp, metadata, place)
         order by place`,
        conditions.values,
      );
      const matches = compileFilter(formula);
      expect(answers.map((answer) => answer.holds)).toEqual(events.map((one) => matches(one)));
    }),
    { numRuns: 200 },
  );
});

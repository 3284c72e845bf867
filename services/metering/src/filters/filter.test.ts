import { compareText, compileFilter } from './filter.ts';
import { type Measured, textOf } from './property.ts';
import type { FilterOperator } from './schema.ts';

const event: Measured = {
  name: 'api_call',
  source: 'user',
  timestamp: Date.parse('2026-01-01T00:00:00.500Z'),
  metadata: {
    model: 'large',
    tokens: 12,
    latency: 1.5,
    cached: false,
    'dotted.key': 'flat',
    name: 'inner',
    _cost: { amount: '0.25', currency: 'usd' },
    _llm: { vendor: 'acme', model: 'm-1', input_tokens: 3, output_tokens: 4, total_tokens: 7 },
  },
};

const matches = (property: string, operator: FilterOperator, value: string | number | boolean) =>
  compileFilter({ conjunction: 'and', clauses: [{ property, operator, value }] })(event);

test.each<[string, FilterOperator, string | number | boolean, boolean]>([
  ['name', 'eq', 'api_call', true],
  ['name', 'like', 'api', true],
  ['name', 'eq', 7, false],
  ['source', 'eq', 'user', true],
  ['source', 'ne', 'system', true],
  ['timestamp', 'gt', 1_767_225_600, true],
  ['timestamp', 'lt', 1_767_225_601, true],
  ['timestamp', 'eq', '1767225600.5', false],
  ['model', 'eq', 'large', true],
  ['metadata.model', 'eq', 'large', true],
  ['metadata.name', 'eq', 'inner', true],
  ['model', 'gt', 'big', true],
  ['model', 'eq', 1, false],
  ['model', 'ne', 1, false],
  ['tokens', 'gte', 12, true],
  ['tokens', 'lt', 12, false],
  ['tokens', 'eq', '12', true],
  ['tokens', 'like', '1', true],
  ['tokens', 'like', 2, true],
  ['tokens', 'not_like', 3, true],
  ['latency', 'gt', 1, true],
  ['latency', 'eq', '1.5', true],
  ['cached', 'eq', false, true],
  ['cached', 'eq', 'false', true],
  ['cached', 'lt', true, true],
  ['cached', 'eq', 0, false],
  ['dotted.key', 'eq', 'flat', true],
  ['_cost.amount', 'lt', 1, true],
  ['_cost.amount', 'eq', '0.25', true],
  ['_llm.model', 'eq', 'm-1', true],
  ['_llm.total_tokens', 'gte', 7, true],
  ['_llm', 'like', 'm', false],
  ['missing', 'ne', 'x', false],
  ['missing', 'not_like', 'x', false],
  ['constructor', 'like', '', false],
  ['__proto__', 'ne', 'x', false],
])('%s %s %p: %p', (property, operator, value, expected) => {
  expect(matches(property, operator, value)).toBe(expected);
});

test('clauses and nested filters join by their conjunction; none match everything', () => {
  const yes = { property: 'name', operator: 'eq', value: 'api_call' } as const;
  const no = { property: 'name', operator: 'eq', value: 'other' } as const;
  const both = { conjunction: 'and', clauses: [yes, no] } as const;
  expect(compileFilter({ conjunction: 'and', clauses: [] })(event)).toBe(true);
  expect(compileFilter({ conjunction: 'or', clauses: [] })(event)).toBe(true);
  expect(compileFilter({ conjunction: 'and', clauses: [yes, no] })(event)).toBe(false);
  expect(compileFilter({ conjunction: 'or', clauses: [no, yes] })(event)).toBe(true);
  expect(
    compileFilter({ conjunction: 'or', clauses: [{ ...both, clauses: [...both.clauses] }, yes] })(event),
  ).toBe(true);
});

test('text is ordered by code point, not by UTF-16 unit', () => {
  expect(compareText('\u{1f600}', '\uffff')).toBeGreaterThan(0);
  expect(compareText('a', 'ab')).toBeLessThan(0);
  expect(compareText('same', 'same')).toBe(0);
});

test('numbers are rendered without an exponent', () => {
  expect([textOf(1e-7), textOf(0.1), textOf(-0), textOf(9_007_199_254_740_991)]).toEqual([
    '0.0000001',
    '0.1',
    '0',
    '9007199254740991',
  ]);
});

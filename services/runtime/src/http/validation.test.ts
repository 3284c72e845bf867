import { z } from 'zod';
import { sortedBy } from './paging.ts';
import type { Issue } from './problem.ts';
import { check, nulIssues } from './validation.ts';
import { Id, Int32, MetadataInput, many, QueryBoolean, TimestampInput } from './wire.ts';

function issuesOf(schema: z.ZodType, value: unknown): Issue[] {
  const issues: Issue[] = [];
  check(schema, value, ['body'], issues);
  return issues;
}

const Body = z.object({ name: z.string().min(3), count: Int32.optional(), kind: z.enum(['a', 'b']) });

describe('validation issues in the contract’s words', () => {
  test.each([
    [{ kind: 'a' }, ['body', 'name'], 'missing'],
    [{ name: 7, kind: 'a' }, ['body', 'name'], 'string_type'],
    [{ name: 'ab', kind: 'a' }, ['body', 'name'], 'string_too_short'],
    [{ name: 'abc', kind: 'a', count: 2 ** 31 }, ['body', 'count'], 'less_than_equal'],
    [{ name: 'abc', kind: 'c' }, ['body', 'kind'], 'enum'],
    [{ name: 'abc' }, ['body', 'kind'], 'missing'],
    [undefined, ['body'], 'missing'],
    [null, ['body'], 'object_type'],
    [[], ['body'], 'object_type'],
  ])('%j is refused at %j as %s', (value, loc, type) => {
    expect(issuesOf(Body, value)).toMatchObject([{ loc, type }]);
  });

  test('every issue is reported, not the first', () => {
    expect(issuesOf(Body, {}).map((issue) => issue.loc.join('.'))).toEqual(['body.name', 'body.kind']);
  });

  test('a refused id says what it is not', () => {
    expect(issuesOf(Id, 'nonsense')).toMatchObject([
      { loc: ['body'], type: 'uuid_parsing', input: 'nonsense' },
    ]);
  });

  test('of a filter’s two forms the one that was sent is spoken of', () => {
    expect(issuesOf(z.object({ id: many(Id) }), { id: ['x'] })).toMatchObject([
      { loc: ['body', 'id', 0], type: 'uuid_parsing' },
    ]);
    expect(issuesOf(z.object({ id: many(Id) }), { id: 'x' })).toMatchObject([
      { loc: ['body', 'id'], type: 'uuid_parsing' },
    ]);
  });

  test('metadata takes 50 keys of 40 characters and flat values', () => {
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
    expect(issuesOf(MetadataInput, keys(50))).toEqual([]);
    expect(issuesOf(MetadataInput, keys(51))).toHaveLength(1);
    expect(issuesOf(MetadataInput, { ['k'.repeat(41)]: 1 })).toHaveLength(1);
    expect(issuesOf(MetadataInput, { nested: {} })).not.toEqual([]);
    expect(issuesOf(MetadataInput, { nothing: null })).not.toEqual([]);
    expect(issuesOf(MetadataInput, { empty: '' })).not.toEqual([]);
  });

  test('a timestamp without an offset, or that could not be written back, is refused', () => {
    expect(issuesOf(TimestampInput, '2026-01-01T00:00:00')).toHaveLength(1);
    for (const outside of ['9999-12-31T23:59:59-12:00', '0001-01-01T00:00:00+12:00', '0000-01-01T00:00:00Z'])
      expect([outside, issuesOf(TimestampInput, outside).length]).toEqual([outside, 1]);
    expect(TimestampInput.parse('2026-01-01T02:00:00+02:00')).toEqual(new Date('2026-01-01T00:00:00Z'));
  });

  test('query booleans are words', () => {
    expect(QueryBoolean.parse('true')).toBe(true);
    expect(QueryBoolean.parse('0')).toBe(false);
    expect(issuesOf(QueryBoolean, 'maybe')).toHaveLength(1);
  });
});

describe('sorting', () => {
  const Sorting = sortedBy('TestSortProperty', ['created_at', 'name'], ['-created_at']);

  test('reads criteria in order with their direction', () => {
    expect(Sorting.parse(['-name', 'created_at'])).toEqual([
      { by: 'name', direction: 'DESC' },
      { by: 'created_at', direction: 'ASC' },
    ]);
    expect(Sorting.parse('name')).toEqual([{ by: 'name', direction: 'ASC' }]);
  });

  test('falls back to the list’s default and refuses unknown keys', () => {
    expect(Sorting.parse(undefined)).toEqual([{ by: 'created_at', direction: 'DESC' }]);
    expect(issuesOf(Sorting, 'email')).toMatchObject([{ type: 'enum' }]);
  });
});

test('NUL characters are found in values and keys, at any depth', () => {
  const nul = String.fromCharCode(0);
  expect(nulIssues({ a: [{ b: `x${nul}` }], [`c${nul}`]: 1 }, ['body']).map((issue) => issue.loc)).toEqual([
    ['body', 'a', 0, 'b'],
    ['body'],
  ]);
  expect(nulIssues({ a: 'fine' }, ['body'])).toEqual([]);
});

test('half a surrogate pair is found, a whole one is fine', () => {
  const half = JSON.parse('["\\ud83d"]');
  expect(nulIssues(half, ['body'])).toEqual([
    { loc: ['body', 0], msg: 'String should be valid Unicode', type: 'string_unicode' },
  ]);
  expect(nulIssues(['\u{1f600}'], ['body'])).toEqual([]);
});

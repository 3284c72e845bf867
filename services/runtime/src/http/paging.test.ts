import { z } from 'zod';
import { pagingShape } from './paging.ts';

const Paging = z.object(pagingShape);

test.each<[object, object]>([
  [{}, { page: 1, limit: 10 }],
  [
    { page: '3', limit: '100' },
    { page: 3, limit: 100 },
  ],
  [{ limit: '101' }, { page: 1, limit: 100 }],
  // An unescaped plus sign is a blank.
  [{ page: ' 3' }, { page: 3, limit: 10 }],
  [{ limit: '9'.repeat(30) }, { page: 1, limit: 100 }],
  [{ page: '9'.repeat(30) }, { page: 2 ** 31 - 1, limit: 10 }],
])('%j is %j', (query, paging) => {
  expect(Paging.parse(query)).toEqual(paging);
});

test.each(['0', '-1', '1.5', 'many', '', 'NaN', '0x10', '1e1', 'Infinity'])(
  '%j is no page and no limit',
  (value) => {
    expect(Paging.safeParse({ page: value }).success).toBe(false);
    expect(Paging.safeParse({ limit: value }).success).toBe(false);
  },
);

import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { expiryOf, requireOwnScopes } from './access-token.ts';
import { addDuration } from './duration.ts';

const from = new Date('2026-01-31T12:00:00Z');

test.each([
  ['P30D', '2026-03-02T12:00:00Z'],
  ['P1M', '2026-02-28T12:00:00Z'],
  ['P1Y', '2027-01-31T12:00:00Z'],
  ['P2W', '2026-02-14T12:00:00Z'],
  ['PT12H', '2026-02-01T00:00:00Z'],
  ['PT1S', '2026-01-31T12:00:01Z'],
  ['P1Y2M3DT4H5M6S', '2027-04-03T16:05:06Z'],
])('%s later it is %s', (duration, end) => {
  expect(addDuration(from, duration)).toEqual(new Date(end));
});

test.each([
  '',
  'P',
  'PT',
  'P0D',
  'P1',
  '1D',
  'P-1D',
  'P1.5D',
  'P1DT',
  'PT1D',
  'P101Y',
  'p1d',
  ' P1D',
  'P99999999D',
])('"%s" is no duration a token may have', (duration) => {
  expect(addDuration(from, duration)).toBeUndefined();
  expect(() => expiryOf(from, duration)).toThrow('ISO 8601');
});

test('without a duration a token does not end', () => {
  expect(expiryOf(from, null)).toBeNull();
  expect(expiryOf(from, undefined)).toBeNull();
});

test('nobody hands on what they do not hold', () => {
  const caller = organizationToken(newId(), ['orders:read', 'orders:write']);
  expect(() => requireOwnScopes(caller, ['orders:read'])).not.toThrow();
  expect(() => requireOwnScopes(caller, ['orders:read', 'events:read'])).toThrow('events:read');
});

import { systemClock } from '../clock.ts';
import { testClock } from './clock.ts';

test('a test clock stands still until it is moved', () => {
  const clock = testClock('2026-01-31T23:59:59Z');
  expect(clock.now()).toEqual(clock.now());
  expect(clock.advance({ seconds: 1 })).toEqual(new Date('2026-02-01T00:00:00Z'));
  expect(clock.advance({ days: 1, hours: 2, minutes: 3, ms: 4 })).toEqual(
    new Date('2026-02-02T02:03:00.004Z'),
  );
  expect(clock.set('2020-01-01T00:00:00+01:00')).toEqual(new Date('2019-12-31T23:00:00Z'));
  expect(clock.now()).toEqual(new Date('2019-12-31T23:00:00Z'));
});

test('changing an instant it gave out does not move it', () => {
  const clock = testClock('2026-01-31T00:00:00Z');
  clock.now().setUTCFullYear(1999);
  expect(clock.now()).toEqual(new Date('2026-01-31T00:00:00Z'));
});

test('refuses what is not an instant', () => {
  expect(() => testClock().set('tomorrow')).toThrow(RangeError);
});

test('the system clock gives the present', () => {
  const before = Date.now();
  const now = systemClock.now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

import type { Interval } from '@tributary/runtime/period.ts';
import { lockedBenefits, meterIntervalFaults, trialFaults } from './product.ts';

test.each<[Interval | null, number | null, Interval | null, string[]]>([
  [null, null, 'month', []],
  ['week', 2, 'month', []],
  ['week', null, 'month', ['trial_interval_count']],
  [null, 2, 'month', ['trial_interval']],
  ['week', 2, null, ['trial_interval']],
])(
  'a trial of %s × %s on a product that recurs by %s',
  (trial_interval, trial_interval_count, recurring_interval, fields) => {
    const faults = trialFaults({ trial_interval, trial_interval_count, recurring_interval });
    expect(faults.flatMap((fault) => fault.path)).toEqual(fields);
  },
);

test.each<[Interval, number, Interval, number, boolean]>([
  ['month', 1, 'year', 1, true],
  ['month', 3, 'year', 1, true],
  ['month', 5, 'year', 1, false],
  ['month', 1, 'month', 1, false],
  ['year', 1, 'month', 1, false],
  ['day', 1, 'week', 1, true],
  ['day', 2, 'week', 1, false],
  ['week', 1, 'month', 1, false],
  ['day', 1, 'month', 1, false],
])('metering every %s × %i within %s × %i: %s', (interval, count, billing, billingCount, fits) => {
  const faults = meterIntervalFaults({ interval, count }, { interval: billing, count: billingCount });
  expect(faults.length === 0).toBe(fits);
});

test('a benefit the merchant cannot choose stays where it is', () => {
  const free = { id: 'free', selectable: true };
  const locked = { id: 'locked', selectable: false };
  expect(lockedBenefits([free], [free, locked])).toEqual({ added: ['locked'], removed: [] });
  expect(lockedBenefits([free, locked], [])).toEqual({ added: [], removed: ['locked'] });
  expect(lockedBenefits([locked], [locked, free])).toEqual({ added: [], removed: [] });
});

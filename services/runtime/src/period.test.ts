import fc from 'fast-check';
import { portionOf } from './money.ts';
import {
  advance,
  anchorDayOf,
  type Cadence,
  intervals,
  isWithin,
  nextPeriod,
  type Period,
  periodFrom,
  prorationFactor,
} from './period.ts';

const day = (text: string) => new Date(`${text}T09:30:15.250Z`);
const monthly: Cadence = { interval: 'month', count: 1 };

function boundaries(start: Date, cadence: Cadence, anchorDay: number, count: number): Date[] {
  const found = [start];
  for (let period = periodFrom(start, cadence, anchorDay); found.length < count; ) {
    found.push(period.end);
    period = nextPeriod(period, cadence, anchorDay);
  }
  return found;
}

describe('advancing', () => {
  test.each([
    ['2026-01-31', 'month', 1, ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['2028-01-31', 'month', 1, ['2028-02-29', '2028-03-31']],
    ['2026-01-30', 'month', 1, ['2026-02-28', '2026-03-30']],
    ['2026-01-29', 'month', 1, ['2026-02-28', '2026-03-29']],
    ['2026-11-30', 'month', 3, ['2027-02-28', '2027-05-30', '2027-08-30']],
    ['2026-12-15', 'month', 1, ['2027-01-15', '2027-02-15']],
    ['2024-02-29', 'year', 1, ['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']],
    ['2024-02-29', 'year', 4, ['2028-02-29', '2032-02-29']],
    ['2026-10-24', 'day', 1, ['2026-10-25', '2026-10-26']],
    ['2026-02-27', 'day', 30, ['2026-03-29', '2026-04-28']],
    ['2026-12-28', 'week', 2, ['2027-01-11', '2027-01-25']],
  ] as const)('from %s every %s × %i', (start, interval, count, expected) => {
    const days = expected.map(day);
    expect(
      boundaries(day(start), { interval, count }, anchorDayOf(day(start)), days.length + 1).slice(1),
    ).toEqual(days);
  });

  test('a moved anchor takes effect at the next step', () => {
    expect(advance(day('2026-02-28'), monthly, 31)).toEqual(day('2026-03-31'));
    expect(advance(day('2026-02-28'), monthly, 10)).toEqual(day('2026-03-10'));
  });

  test('without an anchor the day of the start is the anchor', () => {
    expect(advance(day('2026-01-31'), monthly)).toEqual(day('2026-02-28'));
    expect(periodFrom(day('2026-02-28'), monthly).end).toEqual(day('2026-03-28'));
  });

  test('no step leads nowhere, and makes no period', () => {
    expect(advance(day('2026-01-31'), { interval: 'month', count: 0 })).toEqual(day('2026-01-31'));
    expect(() => periodFrom(day('2026-01-31'), { interval: 'month', count: 0 })).toThrow(RangeError);
  });

  test.each([
    [{ interval: 'month', count: -1 }, 1],
    [{ interval: 'month', count: 1.5 }, 1],
    [{ interval: 'month', count: 1 }, 0],
    [{ interval: 'month', count: 1 }, 32],
    [{ interval: 'year', count: 999_999 }, 1],
  ] as [Cadence, number][])('refuses %j on day %i', (cadence, anchorDay) => {
    expect(() => advance(day('2026-01-31'), cadence, anchorDay)).toThrow(RangeError);
  });

  test('the instant given is not changed', () => {
    const start = day('2026-01-31');
    advance(start, monthly);
    expect(start).toEqual(day('2026-01-31'));
  });
});

const anyStart = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const anyCadence = fc.record({
  interval: fc.constantFrom(...intervals),
  count: fc.integer({ min: 1, max: 30 }),
});

describe('any run of periods', () => {
  test('neither skips nor overlaps: every instant lies in exactly one', () => {
    fc.assert(
      fc.property(
        anyStart,
        anyCadence,
        fc.integer({ min: 1, max: 31 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (start, cadence, anchor, where) => {
          const periods: Period[] = [periodFrom(start, cadence, anchor)];
          for (let index = 1; index < 24; index += 1)
            periods.push(nextPeriod(periods[index - 1]!, cadence, anchor));
          for (const period of periods) expect(period.start < period.end).toBe(true);
          const span = periods.at(-1)!.end.getTime() - start.getTime();
          const at = new Date(start.getTime() + Math.floor(span * where * 0.999));
          expect(periods.filter((period) => isWithin(at, period))).toHaveLength(1);
          for (const { end } of periods.slice(0, -1)) {
            expect(periods.filter((period) => isWithin(end, period))).toHaveLength(1);
          }
        },
      ),
    );
  });

  test('lands on the anchor day, or on the last day of a shorter month, at the same time of day', () => {
    fc.assert(
      fc.property(
        anyStart,
        fc.constantFrom('month', 'year'),
        fc.integer({ min: 1, max: 30 }),
        (start, interval, count) => {
          const anchor = anchorDayOf(start);
          for (const end of boundaries(start, { interval, count }, anchor, 24)) {
            const isLastDay = new Date(end.getTime() + 86_400_000).getUTCDate() === 1;
            expect(end.getUTCDate() === anchor || (end.getUTCDate() < anchor && isLastDay)).toBe(true);
            expect(end.getTime() % 86_400_000).toBe(start.getTime() % 86_400_000);
          }
        },
      ),
    );
  });

  test('after n steps of one is where one step of n leads', () => {
    fc.assert(
      fc.property(
        anyStart,
        anyCadence,
        fc.integer({ min: 1, max: 24 }),
        (start, { interval, count }, steps) => {
          const anchor = anchorDayOf(start);
          const stepwise = boundaries(start, { interval, count }, anchor, steps + 1).at(-1);
          expect(advance(start, { interval, count: count * steps }, anchor)).toEqual(stepwise);
        },
      ),
    );
  });
});

describe('the part still to come', () => {
  const start = new Date('2026-04-01T00:00:00Z');
  const end = new Date('2026-05-01T00:00:00Z');

  test.each([
    ['2026-04-01T00:00:00Z', 3_000],
    ['2026-04-16T00:00:00Z', 1_500],
    ['2026-04-30T23:59:59Z', 0],
    ['2026-05-01T00:00:00Z', 0],
    ['2026-03-01T00:00:00Z', 3_000],
    ['2026-07-01T00:00:00Z', 0],
    ['2026-04-11T00:00:00Z', 2_000],
  ])('at %s is worth %i of 3000', (now, worth) => {
    expect(portionOf(3_000, prorationFactor(new Date(now), start, end))).toBe(worth);
    expect(portionOf(-3_000, prorationFactor(new Date(now), start, end))).toBe(0 - worth);
  });

  test('is kept exactly: a third of a month is no rounded decimal', () => {
    const third = prorationFactor(new Date('2026-04-21T00:00:00Z'), start, end);
    expect(third.numerator * 3).toBe(third.denominator);
    expect(portionOf(99_999_999, third)).toBe(33_333_333);
  });

  test('refuses a period that does not end after it starts', () => {
    expect(() => prorationFactor(start, end, start)).toThrow(RangeError);
    expect(() => prorationFactor(start, start, start)).toThrow(RangeError);
    expect(() => prorationFactor(start, start, new Date(Number.NaN))).toThrow(RangeError);
  });
});

import type { Fraction } from './money.ts';

export const intervals = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof intervals)[number];

/** How often something repeats: every `count` intervals. */
export interface Cadence {
  interval: Interval;
  count: number;
}

/** Half-open: `start` belongs to it, `end` to the next one. */
export interface Period {
  start: Date;
  end: Date;
}

const DAY_MS = 86_400_000;

/** The day of the month (1 to 31, UTC) that later month and year steps return to. */
export const anchorDayOf = (start: Date): number => start.getUTCDate();

/**
 * The instant one cadence after `from`, at the same time of day. Days and weeks are plain addition. Months and years
 * land on the anchor day, or on the last day of a shorter month, so that a clipped day is not inherited:
 * 31 January, 28 February, 31 March.
 */
export function advance(from: Date, cadence: Cadence, anchorDay: number = anchorDayOf(from)): Date {
  const { interval, count } = cadence;
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} is no number of intervals`);
  if (!Number.isInteger(anchorDay) || anchorDay < 1 || anchorDay > 31)
    throw new RangeError(`${anchorDay} is no day of a month`);
  switch (interval) {
    case 'day':
      return instant(from.getTime() + count * DAY_MS);
    case 'week':
      return instant(from.getTime() + count * 7 * DAY_MS);
    case 'month':
      return monthsLater(from, count, anchorDay);
    case 'year':
      return monthsLater(from, count * 12, anchorDay);
  }
}

/** The period that begins at `start`; the cadence must have a count of 1 or more. */
export function periodFrom(start: Date, cadence: Cadence, anchorDay: number = anchorDayOf(start)): Period {
  const end = advance(start, cadence, anchorDay);
  if (end <= start) throw new RangeError('a period must end after it starts');
  return { start, end };
}

/** The period that follows: it begins where this one ends. */
export const nextPeriod = (period: Period, cadence: Cadence, anchorDay: number): Period =>
  periodFrom(period.end, cadence, anchorDay);

/** Whether the instant lies in the period: at or after its start and before its end. */
export const isWithin = (at: Date, period: Period): boolean => period.start <= at && at < period.end;

/**
 * The part of `[start, end)` still to come at `now`: remaining time over total time, exact to the millisecond, 1
 * before the start and 0 after the end. `portionOf(amount, …)` turns it into money with a single rounding.
 */
export function prorationFactor(now: Date, start: Date, end: Date): Fraction {
  const denominator = end.getTime() - start.getTime();
  if (!(denominator > 0)) throw new RangeError('a period must end after it starts');
  const remaining = end.getTime() - now.getTime();
  return { numerator: Math.min(Math.max(remaining, 0), denominator), denominator };
}

function monthsLater(from: Date, months: number, anchorDay: number): Date {
  const target = new Date(from);
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + months);
  target.setUTCDate(Math.min(anchorDay, daysInMonth(target)));
  return instant(target.getTime());
}

function daysInMonth(month: Date): number {
  const last = new Date(month);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  return last.getUTCDate();
}

function instant(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime()))
    throw new RangeError('the period ends beyond the last representable instant');
  return date;
}

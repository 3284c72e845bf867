import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { TimeInterval } from './quantity-schema.ts';

const DAY_MS = 86_400_000;
const EARLIEST = new Date('2023-01-01T00:00:00Z');

/** The longest range of each interval, days (domain rules 12): bounds the number of buckets. */
const MAX_DAYS: Record<TimeInterval, number> = { hour: 7, day: 366, week: 371, month: 1_460, year: 3_650 };

/** Refuses (422) a range that is turned round, begins too early or is too long for its interval. */
export function checkRange(start: Date, end: Date, interval: TimeInterval): void {
  const issues: Issue[] = [];
  const refuse = (field: string, msg: string, type: string) =>
    issues.push({ loc: ['query', field], msg, type });
  if (start < EARLIEST) {
    refuse('start_timestamp', `Must not be before ${EARLIEST.toISOString()}`, 'greater_than_equal');
  }
  if (end < start) refuse('end_timestamp', 'Must not be before start_timestamp', 'value_error');
  else if (end.getTime() - start.getTime() > MAX_DAYS[interval] * DAY_MS) {
    refuse('end_timestamp', `At most ${MAX_DAYS[interval]} days for interval ${interval}`, 'value_error');
  }
  if (issues.length > 0) throw new ValidationProblem(issues);
}

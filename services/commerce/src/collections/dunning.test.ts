import fc from 'fast-check';
import { nextAttemptAt, recoveryDeadline } from './dunning.ts';

const DAY_MS = 86_400_000;
const first = new Date('2026-01-01T10:00:00Z');
const daysLater = (days: number) => new Date(first.getTime() + days * DAY_MS);
const after = (failures: number, day: number, isHard = false) =>
  nextAttemptAt({ firstFailedAt: first, failures, isHardDecline: isHard }, daysLater(day));

describe('recovery of a failed payment', () => {
  test.each([
    [1, 0, 2],
    [2, 2, 7],
    [3, 7, 14],
    [4, 14, 21],
  ])('after failure %i on day %i the next attempt is on day %i', (failures, day, next) => {
    expect(after(failures, day)).toEqual(daysLater(next));
  });

  test('ends with the fourth failed retry', () => {
    expect(after(5, 21)).toBeNull();
  });

  test('ends 21 days and a minute after the first failure, however few attempts were made', () => {
    const deadline = recoveryDeadline(first);
    const at = (now: Date) => nextAttemptAt({ firstFailedAt: first, failures: 2, isHardDecline: false }, now);
    expect(deadline).toEqual(new Date(daysLater(21).getTime() + 60_000));
    expect(at(deadline)).toBeNull();
    expect(at(new Date(deadline.getTime() - 1))).not.toBeNull();
  });

  test('waits for the deadline after a hard decline, and ends there', () => {
    expect(after(1, 0, true)).toEqual(recoveryDeadline(first));
    expect(
      nextAttemptAt({ firstFailedAt: first, failures: 2, isHardDecline: true }, recoveryDeadline(first)),
    ).toBeNull();
  });

  test('always ends: at most five attempts when each is made when it is due', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (declines) => {
        let now = first;
        for (const [index, isHard] of declines.entries()) {
          const next = nextAttemptAt(
            { firstFailedAt: first, failures: index + 1, isHardDecline: isHard },
            now,
          );
          if (next === null) return index + 1 <= 5;
          expect(next > now).toBe(true);
          now = next;
        }
        return false;
      }),
    );
  });
});

import { newId } from '@tributary/proto/id.ts';
import { advance, type Cadence, type Interval } from '@tributary/runtime/period.ts';
import fc from 'fast-check';
import { scheduleCancellation } from './cancellation.ts';
import { cycle, isCycleDue } from './cycle.ts';
import { newSubscription, type Subscription } from './subscription.ts';

const month: Cadence = { interval: 'month', count: 1 };
const at = (text: string) => new Date(text);

function subscriptionFrom(start: Date, cadence = month, trial: Cadence | null = null): Subscription {
  return newSubscription(
    {
      organization_id: newId(),
      customer_id: newId(),
      product_id: newId(),
      discount_id: null,
      checkout_id: null,
      amount: 1_000,
      currency: 'usd',
      seats: null,
      metadata: {},
      custom_field_data: {},
      prices: [],
      cadence,
      startsAt: start,
      trialEnd: trial && advance(start, trial),
    },
    start,
  );
}

/** Starts of the periods a subscription goes through, one run of the scheduler each. */
function startsOf(subscription: Subscription, runs: number, late = 0): Date[] {
  const starts = [subscription.current_period_start];
  let current = subscription;
  for (let run = 0; run < runs; run += 1) {
    current = cycle(current, new Date(current.current_period_end.getTime() + late)).next;
    starts.push(current.current_period_start);
  }
  return starts;
}

describe('a due subscription', () => {
  const january = subscriptionFrom(at('2026-01-31T10:00:00Z'));

  test('is due from the moment its period ends', () => {
    expect(isCycleDue(january, at('2026-02-28T09:59:59.999Z'))).toBe(false);
    expect(isCycleDue(january, at('2026-02-28T10:00:00Z'))).toBe(true);
  });

  test.each(['canceled', 'unpaid', 'paused', 'incomplete', 'incomplete_expired'] as const)(
    'is never due while %s',
    (status) => {
      expect(isCycleDue({ ...january, status }, at('2030-01-01T00:00:00Z'))).toBe(false);
    },
  );

  test('keeps to its anchor day through short months', () => {
    expect(startsOf(january, 4).map((date) => date.toISOString().slice(0, 10))).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2026-05-31',
    ]);
  });

  test('renews for the period that begins, and bills the usage of the one that ended', () => {
    const now = at('2026-02-28T10:00:05Z');
    expect(cycle(january, now)).toMatchObject({
      kind: 'renewed',
      closed: { start: january.current_period_start, end: at('2026-02-28T10:00:00Z') },
      opened: { start: at('2026-02-28T10:00:00Z'), end: at('2026-03-31T10:00:00Z') },
      isUsageDue: true,
      endsTrial: false,
      next: { status: 'active', modified_at: now },
    });
  });

  test('stays past due when it renews unpaid', () => {
    const pastDue: Subscription = { ...january, status: 'past_due', past_due_at: at('2026-02-01T00:00:00Z') };
    expect(cycle(pastDue, at('2026-03-01T00:00:00Z')).next.status).toBe('past_due');
  });

  test('ends with its period when that was asked for', () => {
    const leaving = scheduleCancellation(january, at('2026-02-02T00:00:00Z'));
    expect(cycle(leaving, at('2026-03-05T00:00:00Z'))).toMatchObject({
      kind: 'ended',
      isUsageDue: true,
      next: { status: 'canceled', ended_at: at('2026-02-28T10:00:00Z'), ends_at: at('2026-02-28T10:00:00Z') },
    });
  });
});

describe('a trial', () => {
  const trial = subscriptionFrom(at('2026-01-20T00:00:00Z'), month, { interval: 'day', count: 11 });

  test('becomes the first paid period, anchored where the trial ends, its usage free', () => {
    const outcome = cycle(trial, at('2026-01-31T00:00:00Z'));
    expect(outcome).toMatchObject({ kind: 'renewed', endsTrial: true, isUsageDue: false });
    expect(outcome.next).toMatchObject({
      status: 'active',
      anchor_day: 31,
      trial_end: at('2026-01-31T00:00:00Z'),
    });
    expect(startsOf(trial, 3).map((date) => date.toISOString().slice(0, 10))).toEqual([
      '2026-01-20',
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
    ]);
  });

  test('ends without a bill when it was canceled', () => {
    const leaving = scheduleCancellation(trial, at('2026-01-21T00:00:00Z'));
    expect(cycle(leaving, at('2026-01-31T00:00:00Z'))).toMatchObject({
      kind: 'ended',
      isUsageDue: false,
      next: { status: 'canceled' },
    });
  });
});

describe('periods', () => {
  const cadence = fc.record({
    interval: fc.constantFrom<Interval>('day', 'week', 'month', 'year'),
    count: fc.integer({ min: 1, max: 24 }),
  });
  const start = fc.date({
    min: at('2020-01-01T00:00:00Z'),
    max: at('2040-01-01T00:00:00Z'),
    noInvalidDate: true,
  });

  test('never skip or overlap, however late the scheduler is', () => {
    fc.assert(
      fc.property(start, cadence, fc.option(cadence), fc.nat(400), (from, billing, trial, lateDays) => {
        let current = subscriptionFrom(from, billing, trial);
        for (let run = 0; run < 20; run += 1) {
          const outcome = cycle(
            current,
            new Date(current.current_period_end.getTime() + lateDays * 86_400_000),
          );
          if (outcome.kind !== 'renewed') return false;
          expect(outcome.closed).toEqual({
            start: current.current_period_start,
            end: current.current_period_end,
          });
          expect(outcome.opened.start).toEqual(outcome.closed.end);
          expect(outcome.opened.end > outcome.opened.start).toBe(true);
          current = outcome.next;
        }
        return true;
      }),
    );
  });

  test('are the same whether the scheduler was on time or late', () => {
    fc.assert(
      fc.property(start, cadence, fc.nat(1_000_000_000), (from, billing, late) => {
        const subscription = subscriptionFrom(from, billing);
        expect(startsOf(subscription, 12, late)).toEqual(startsOf(subscription, 12));
      }),
    );
  });
});

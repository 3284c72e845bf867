import { newId } from '@tributary/proto/id.ts';
import type { Problem } from '@tributary/runtime/http/problem.ts';
import { testMachine } from '@tributary/runtime/testing/machine-table.ts';
import { scheduleCancellation, withdrawCancellation, withFarewell } from './cancellation.ts';
import {
  newSubscription,
  revokeSubscription,
  type Subscription,
  subscriptionMachine,
} from './subscription.ts';

const start = new Date('2026-01-10T00:00:00Z');
const now = new Date('2026-01-20T00:00:00Z');
const subscription: Subscription = newSubscription(
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
    cadence: { interval: 'month', count: 1 },
    startsAt: start,
    trialEnd: null,
  },
  start,
);
const problemOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Problem).type.name;
  }
};

testMachine(
  subscriptionMachine,
  [
    'trialing endTrial -> active',
    'trialing cancel -> canceled',
    'active startTrial -> trialing',
    'active paymentFailed -> past_due',
    'active pause -> paused',
    'active cancel -> canceled',
    'past_due paymentSucceeded -> active',
    'past_due cancel -> canceled',
    'canceled reinstate -> active',
    'paused resume -> active',
    'paused cancel -> canceled',
  ],
  (_status, action) => (action === 'cancel' ? 403 : 409),
);

describe('a cancellation at the end of the period', () => {
  test('is a flag until then', () => {
    expect(scheduleCancellation(subscription, now)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      canceled_at: now,
      ends_at: new Date('2026-02-10T00:00:00Z'),
      ended_at: null,
    });
  });

  test('wins over a planned pause', () => {
    const pausing = {
      ...subscription,
      pause_at_period_end: true,
      resumes_at: new Date('2026-05-01T00:00:00Z'),
    };
    expect(scheduleCancellation(pausing, now)).toMatchObject({
      pause_at_period_end: false,
      resumes_at: null,
    });
  });

  test.each([
    ['trialing', undefined],
    ['active', undefined],
    ['past_due', undefined],
    ['paused', 'InactiveSubscription'],
    ['canceled', 'AlreadyCanceledSubscription'],
    ['unpaid', 'AlreadyCanceledSubscription'],
    ['incomplete', 'AlreadyCanceledSubscription'],
    ['incomplete_expired', 'AlreadyCanceledSubscription'],
  ] as const)('asked of a subscription that is %s: %s', (status, refusal) => {
    expect(problemOf(() => scheduleCancellation({ ...subscription, status }, now))).toBe(refusal);
  });

  test('is not scheduled twice', () => {
    const leaving = scheduleCancellation(subscription, now);
    expect(problemOf(() => scheduleCancellation(leaving, now))).toBe('AlreadyCanceledSubscription');
  });

  test('can be taken back, with its reason', () => {
    const told = withFarewell(subscription, { reason: 'too_expensive', comment: 'Perhaps later' });
    expect(withdrawCancellation(scheduleCancellation(told, now), now)).toEqual({
      ...subscription,
      modified_at: now,
    });
  });

  test('cannot be taken back when there is none, or when it is over', () => {
    expect(problemOf(() => withdrawCancellation(subscription, now))).toBe('BadRequest');
    const over = revokeSubscription(subscription, now);
    expect(problemOf(() => withdrawCancellation(over, now))).toBe('ResourceUnavailable');
  });
});

describe('the end at once', () => {
  test('sets every date', () => {
    expect(revokeSubscription(subscription, now)).toMatchObject({
      status: 'canceled',
      canceled_at: now,
      ends_at: now,
      ended_at: now,
    });
  });

  test('keeps when a cancellation was first asked for', () => {
    const leaving = scheduleCancellation(subscription, start);
    expect(revokeSubscription(leaving, now)).toMatchObject({ canceled_at: start, ended_at: now });
  });

  test('comes once', () => {
    const over = revokeSubscription(subscription, now);
    expect(problemOf(() => revokeSubscription(over, now))).toBe('AlreadyCanceledSubscription');
  });
});

test('a reason that is not given leaves the one given before', () => {
  const told = withFarewell(subscription, { reason: 'unused', comment: 'x' });
  expect(withFarewell(told, {})).toEqual(told);
  expect(withFarewell(told, { comment: null })).toMatchObject({
    customer_cancellation_reason: 'unused',
    customer_cancellation_comment: null,
  });
});

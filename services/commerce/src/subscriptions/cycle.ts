import { anchorDayOf, type Cadence, nextPeriod, type Period } from '@tributary/runtime/period.ts';
import { isBillable } from './cancellation.ts';
import { type Subscription, subscriptionMachine } from './subscription.ts';

/** What a subscription does when its period ends. */
export type CycleOutcome =
  | {
      kind: 'renewed';
      next: Subscription;
      /** The period that ended, whose usage is due. Usage of a trial is never due. */
      closed: Period;
      isUsageDue: boolean;
      /** The period that began, whose static prices are due. */
      opened: Period;
      endsTrial: boolean;
    }
  | { kind: 'ended'; next: Subscription; closed: Period; isUsageDue: boolean };

/** Whether the scheduler has something to do: the period has ended, and the subscription is one that goes on. */
export const isCycleDue = (subscription: Subscription, now: Date): boolean =>
  isBillable(subscription) && subscription.current_period_end <= now;

export const cadenceOf = (subscription: Subscription): Cadence => ({
  interval: subscription.recurring_interval,
  count: subscription.recurring_interval_count,
});

export const currentPeriod = (subscription: Subscription): Period => ({
  start: subscription.current_period_start,
  end: subscription.current_period_end,
});

/**
 * Moves a due subscription on by exactly one period, or ends it where that was asked for. However late the scheduler
 * is, the new period begins where the old one ended: a subscription that missed several is moved several times.
 */
export function cycle(subscription: Subscription, now: Date): CycleOutcome {
  const closed = currentPeriod(subscription);
  const endsTrial = subscription.status === 'trialing';
  if (subscription.cancel_at_period_end) {
    const status = subscriptionMachine.next(subscription.status, 'cancel');
    const ended: Subscription = { ...subscription, status, ended_at: closed.end, modified_at: now };
    return { kind: 'ended', next: ended, closed, isUsageDue: !endsTrial };
  }
  const anchor_day = endsTrial ? anchorDayOf(closed.end) : subscription.anchor_day;
  const opened = nextPeriod(closed, cadenceOf(subscription), anchor_day);
  const next: Subscription = {
    ...subscription,
    status: endsTrial ? subscriptionMachine.next(subscription.status, 'endTrial') : subscription.status,
    current_period_start: opened.start,
    current_period_end: opened.end,
    anchor_day,
    modified_at: now,
  };
  return { kind: 'renewed', next, closed, isUsageDue: !endsTrial, opened, endsTrial };
}

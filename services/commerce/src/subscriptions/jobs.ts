import type { Job } from '@tributary/runtime/job.ts';
import type { App } from '../app.ts';
import { eachOf } from '../each-of.ts';
import { cycleSubscription } from './cycle-subscription.flow.ts';
import { claimDueSubscriptions } from './store.ts';

const EVERY_MS = 10_000;
const BATCH = 50;
const AT_ONCE = 4;
/** A subscription whose scheduler died is due again after this time. */
const LEASE_MS = 5 * 60_000;

/** Moves subscriptions whose period has ended, one period a run, so that a late scheduler catches up run by run. */
export const cycleJob: Job<App> = {
  name: 'cycle-subscriptions',
  everyMs: EVERY_MS,
  async run(app, now) {
    const due = await claimDueSubscriptions(app.db, now, new Date(now.getTime() + LEASE_MS), BATCH);
    let isMoreDue = due.length === BATCH;
    await eachOf(due, AT_ONCE, async (id) => {
      try {
        isMoreDue = (await cycleSubscription(app, id, now)) || isMoreDue;
      } catch (error) {
        app.log.error({ err: error, subscription: id }, 'a subscription could not be cycled');
      }
    });
    return isMoreDue;
  },
};

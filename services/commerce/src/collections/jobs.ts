import type { Job } from '@tributary/runtime/job.ts';
import type { App } from '../app.ts';
import { eachOf } from '../each-of.ts';
import { collectOrder } from './collect-order.flow.ts';
import { LEASE_MS } from './collection.ts';
import { claimDueCollections } from './store.ts';

const EVERY_MS = 5_000;
const BATCH = 50;
const AT_ONCE = 4;

/** Collects orders that nobody is there to pay: renewals when they are made, and unpaid ones again in their turn. */
export const collectionJob: Job<App> = {
  name: 'collect-orders',
  everyMs: EVERY_MS,
  async run(app, now) {
    const due = await claimDueCollections(app.db, now, new Date(now.getTime() + LEASE_MS), BATCH);
    await eachOf(due, AT_ONCE, async (collection) => {
      try {
        await collectOrder(app, collection, now);
      } catch (error) {
        app.log.error({ err: error, order: collection.order_id }, 'an order could not be collected');
      }
    });
    return due.length === BATCH;
  },
};

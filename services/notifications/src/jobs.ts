import type { Job } from '@tributary/runtime/job.ts';
import type { App } from './app.ts';
import { deleteOldEmails } from './emails/store.ts';
import { sweepForgottenCustomers } from './forgotten-customers/forget-customers.flow.ts';
import { archiveBodies } from './webhook-events/store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const jobs: Job<App>[] = [
  { name: 'archive-webhook-bodies', everyMs: HOUR_MS, run: ({ db }, now) => archiveBodies(db, now) },
  { name: 'delete-old-emails', everyMs: HOUR_MS, run: ({ db }, now) => deleteOldEmails(db, now) },
  {
    name: 'sweep-forgotten-customers',
    everyMs: MINUTE_MS,
    run: sweepForgottenCustomers,
  },
];

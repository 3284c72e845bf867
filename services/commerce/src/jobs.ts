import type { Job } from '@tributary/runtime/job.ts';
import type { App } from './app.ts';
import { expireCheckouts } from './checkouts/expire-checkouts.flow.ts';
import { resumeCheckouts } from './checkouts/resume-checkouts.flow.ts';
import { collectionJob } from './collections/jobs.ts';
import { tellStateChanges } from './customers/read-state.flow.ts';
import { cycleJob } from './subscriptions/jobs.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const jobs: Job<App>[] = [
  { name: 'tell-customer-states', everyMs: SECOND_MS, run: tellStateChanges },
  { name: 'resume-checkouts', everyMs: 10 * SECOND_MS, run: resumeCheckouts },
  { name: 'expire-checkouts', everyMs: 15 * MINUTE_MS, run: expireCheckouts },
  cycleJob,
  collectionJob,
];

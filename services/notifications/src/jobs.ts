import type { Job } from '@tributary/runtime/job.ts';
import type { App } from './app.ts';
import { archiveBodies } from './webhook-events/store.ts';

const HOUR_MS = 3_600_000;

export const jobs: Job<App>[] = [
  { name: 'archive-webhook-bodies', everyMs: HOUR_MS, run: ({ db }, now) => archiveBodies(db, now) },
];

import type { Job } from '@tributary/runtime/job.ts';
import type { App } from './app.ts';
import { endGrace } from './entitlements/end-grace.flow.ts';
import { eraseFiles } from './files/erase-files.flow.ts';
import { runSweeps } from './sweeps/run-sweeps.flow.ts';

const MINUTE_MS = 60_000;

export const jobs: Job<App>[] = [
  { name: 'run-sweeps', everyMs: 500, run: runSweeps },
  { name: 'end-grace', everyMs: MINUTE_MS, run: endGrace },
  { name: 'erase-files', everyMs: 10 * MINUTE_MS, run: eraseFiles },
];

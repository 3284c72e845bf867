import type { Logger } from './log.ts';

/** A time-driven task: a due-row scan that moves at most one bounded batch per run. */
export interface Job<App = never> {
  name: string;
  everyMs: number;
  /** Returns whether more is due now; it then runs again at once. */
  run(app: App, now: Date): Promise<boolean>;
}

export interface JobOptions<App> {
  jobs: readonly Job<App>[];
  app: App;
  now: () => Date;
  log: Logger;
}

const MAX_RUNS_IN_A_ROW = 100;

/** Runs each job on its interval, never twice at once in this process; a failing run is logged and tried next time. */
export function startJobs<App>({ jobs, app, now, log }: JobOptions<App>): () => Promise<void> {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const timers = jobs.map((job) =>
    setInterval(() => {
      if (running.has(job.name)) return;
      running.set(
        job.name,
        runUntilDone(job, app, now, stopping.signal)
          .catch((error: unknown) => log.error({ err: error, job: job.name }, 'job failed'))
          .finally(() => running.delete(job.name)),
      );
    }, job.everyMs),
  );
  return async () => {
    stopping.abort();
    timers.forEach(clearInterval);
    await Promise.all(running.values());
  };
}

async function runUntilDone<App>(
  job: Job<App>,
  app: App,
  now: () => Date,
  signal: AbortSignal,
): Promise<void> {
  for (let runs = 0; runs < MAX_RUNS_IN_A_ROW && !signal.aborted; runs += 1) {
    if (!(await job.run(app, now()))) return;
  }
}

import { type Database, inTransaction, type Tx } from './db/transaction.ts';
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

/**
 * Claims due rows in one transaction and hands them to `move`: `for update skip locked` lets several schedulers
 * work side by side without taking the same row twice.
 * @param dueRows SQL that selects due rows; `$1` is now, `$2` the batch size
 * @returns whether the batch was full
 */
export async function claimDue<T>(
  db: Database,
  dueRows: string,
  now: Date,
  batch: number,
  move: (rows: T[], tx: Tx) => Promise<void>,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const rows: T[] = await tx.query(`${dueRows} limit $2 for update skip locked`, [now, batch]);
    if (rows.length > 0) await move(rows, tx);
    return rows.length === batch;
  });
}

import type { Job } from '@tributary/runtime/job.ts';
import type { App } from './app.ts';
import { forgetExpiredSessions } from './sessions/store.ts';
import { forgetExpiredUserSessions } from './user-sessions/store.ts';

const MINUTE_MS = 60_000;

export const jobs: Job<App>[] = [
  {
    name: 'write-last-uses',
    everyMs: 5_000,
    async run(app) {
      await app.lastUses.flush(app.db);
      return false;
    },
  },
  {
    name: 'forget-expired-sessions',
    everyMs: 10 * MINUTE_MS,
    run: (app, now) => forgetExpiredSessions(app.db, now),
  },
  {
    name: 'forget-expired-user-sessions',
    everyMs: 10 * MINUTE_MS,
    run: (app, now) => forgetExpiredUserSessions(app.db, now),
  },
];

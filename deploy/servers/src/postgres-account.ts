import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { ServerFailure } from './failure.ts';

/** The operating-system user a database server runs as; empty when it is the user of this process. */
export type Account = { uid: number; gid: number } | Record<string, never>;

const name = 'postgres';

/**
 * PostgreSQL refuses to run as root. As root, the account is the one that owns the data already, else the machine's
 * `postgres` user, which is made when there is none. Anybody else runs the server as themselves.
 */
export function accountFor(dataFolder: string): Account {
  if (process.getuid?.() !== 0) return {};
  return ownerOf(dataFolder) ?? find() ?? create();
}

/** Whether the account can enter a folder: every folder above it must let it pass. */
export function canEnter(account: Account, folder: string): boolean {
  if (!('uid' in account)) return true;
  const probe = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...account, cwd: '/' });
  return probe.status === 0;
}

function ownerOf(folder: string): Account | undefined {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined;
}

function find(): Account | undefined {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

function create(): Account {
  const attempts = [
    ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name],
    ['adduser', '-S', '-D', '-H', name],
  ] as const;
  for (const [command, ...args] of attempts) {
    if (spawnSync(command, args, { stdio: 'ignore' }).status !== 0) continue;
    const account = find();
    if (account) return account;
  }
  throw new ServerFailure(
    `PostgreSQL does not run as root and no user "${name}" could be made; make one or start as another user`,
  );
}

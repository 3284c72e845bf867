import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServerFailure } from './failure.ts';
import { type Account, accountFor, canEnter } from './postgres-account.ts';
import { type PostgresPrograms, postgresPrograms } from './postgres-programs.ts';

/** A folder with a PostgreSQL cluster and what is needed to run programs on it. */
export interface Cluster {
  folder: string;
  account: Account;
  programs: PostgresPrograms;
}

/**
 * How a program of the cluster is run: as the account, in the data folder, with nothing of our environment but the
 * PATH, since PGDATA, PGPORT and their like would change what the server does.
 */
export const programOptions = ({ account, folder }: Pick<Cluster, 'account' | 'folder'>) => ({
  ...account,
  cwd: folder,
  env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
});

/**
 * The path under which the server's own user reaches the data. When a folder above is closed to that user (a clone
 * in root's home, mode 700), the working directory stands for it: a process enters its working directory before it
 * changes user, and the link below /proc leads there without passing the folders above.
 */
export function dataPath({ account, folder }: Pick<Cluster, 'account' | 'folder'>): string {
  if (canEnter(account, folder)) return folder;
  const workingDirectory = '/proc/self/cwd';
  if (existsSync(workingDirectory)) return workingDirectory;
  throw new ServerFailure(`${folder} lies below a folder that the database server's user may not enter`);
}

/**
 * Opens the cluster in `folder`, making it when there is none. The superuser is `postgres`; every address needs a
 * password. Collation is by code point, the same on every machine.
 */
export function openCluster(folder: string): Cluster {
  mkdirSync(dirname(folder), { recursive: true });
  const account = accountFor(folder);
  const cluster = { folder, account, programs: postgresPrograms(account) };
  if (!existsSync(folder)) initialise(cluster);
  else if (!('uid' in account) && statSync(folder).uid !== process.getuid?.()) throw foreign(folder);
  return { ...cluster, folder: realpathSync(folder) };
}

/** Made beside its place and moved there when complete, so a start that is cut off leaves nothing half-made. */
function initialise(cluster: Cluster): void {
  const folder = `${cluster.folder}.new`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  if ('uid' in cluster.account) chownSync(folder, cluster.account.uid, cluster.account.gid);
  const place = { ...cluster, folder };
  runProgram(place, cluster.programs.initdb, [
    `--pgdata=${dataPath(place)}`,
    '--username=postgres',
    '--auth-local=reject',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]);
  renameSync(folder, cluster.folder);
}

/** Sets the superuser's password while no server runs on the cluster. */
export function setSuperuserPassword(cluster: Cluster, password: string): void {
  const statement = `alter role postgres password '${password.replaceAll("'", "''")}';\n`;
  const args = ['--single', '-D', dataPath(cluster), 'postgres'];
  runProgram(cluster, cluster.programs.postgres, args, statement);
}

function runProgram(cluster: Cluster, program: string, args: string[], input?: string): void {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    ...programOptions(cluster),
    input,
    encoding: 'utf8',
  });
  if (status === 0) return;
  throw new ServerFailure(explain(cluster.folder, error?.message ?? `${stdout}\n${stderr}`));
}

const belongsToAnother = (folder: string) =>
  `${folder} belongs to another user: start as that user, or remove it`;
const foreign = (folder: string) =>
  new ServerFailure(`PostgreSQL did not start: ${belongsToAnother(folder)}`);

const explanations = [
  [/No space left on device/, () => 'the disk is full'],
  [/could not bind|Address already in use/, () => 'its port is in use'],
  [
    /data directory "?[^"]*"? has (wrong ownership|invalid permissions)|Permission denied|EACCES/,
    belongsToAnother,
  ],
  [
    /database files are incompatible with server|initialized by PostgreSQL version/,
    (folder: string) => `the data in ${folder} is of another PostgreSQL version`,
  ],
  [
    /lock file .* already exists|pre-existing shared memory block/,
    () => 'another server runs on the same data',
  ],
] as const;

/** One line that says why PostgreSQL did not start, read off what it printed. */
export function explain(folder: string, output: string): string {
  const known = explanations.find(([pattern]) => pattern.test(output));
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const cause =
    lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? 'no reason given';
  return `PostgreSQL did not start: ${known ? known[1](folder) : cause.trim()}`;
}

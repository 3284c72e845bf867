import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@tributary/runtime/log.ts';
import { StartFailure } from '@tributary/runtime/start-failure.ts';
import { ServerFailure } from '@tributary/servers/failure.ts';
import { holdFolder } from '@tributary/servers/folder-lock.ts';
import type { Account } from '@tributary/servers/postgres-account.ts';
import { openCluster } from '@tributary/servers/postgres-cluster.ts';
import { startPostgres } from '@tributary/servers/postgres-server.ts';
import pg from 'pg';
import { z } from 'zod';

export interface EmbeddedPostgresOptions {
  /** Folder of everything that is kept; the data goes into `postgres` below it. */
  home: string;
  /** A free one when absent. */
  port?: number;
  /** Each gets a database and a role of this name that owns it. */
  databases: readonly string[];
  log: Pick<Logger, 'info' | 'error'>;
}

export interface EmbeddedPostgres {
  /** Address of one of the databases, for its own role. */
  urlFor(database: string): string;
  stop(): Promise<void>;
}

const Passwords = z.record(z.string(), z.string());
type Passwords = z.output<typeof Passwords>;

/** Kept with durability on; the rest suits one small process that shares its machine, whose disk does not turn. */
const settings = { jit: 'off', io_method: 'sync', random_page_cost: '1.1', log_min_messages: 'warning' };

/**
 * Starts the database server of this home, which keeps its data between starts and takes connections from this
 * machine only. A server that a killed start left behind is ended first.
 * @throws StartFailure with one line for the person at the terminal
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    throw error instanceof ServerFailure ? new StartFailure(error.message) : error;
  }
}

async function start({ home, port, databases, log }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  mkdirSync(home, { recursive: true });
  const lock = await holdFolder(home);
  const cluster = openCluster(join(home, 'postgres'));
  // Beside the data, so that neither is ever without the other.
  const passwordFile = join(cluster.folder, 'passwords.json');
  const { passwords, areNew } = readOrMakePasswords(passwordFile, databases);
  const server = await startPostgres(cluster, {
    port,
    settings,
    newSuperuserPassword: areNew ? passwords.postgres : undefined,
    logFile: join(home, 'postgres.log'),
    onUnexpectedExit: () => log.error('the database server ended by itself; see postgres.log'),
  });
  const stop = async () => {
    await server.stop();
    lock.release();
  };
  const urlFor = (database: string, role = database) =>
    `postgres://${role}:${passwords[role]}@127.0.0.1:${server.port}/${database}`;
  try {
    await ensureDatabases(urlFor('postgres'), databases, passwords, areNew);
    // Only now: a start that is cut off before makes new ones once more.
    if (areNew) writePasswords(passwordFile, passwords, cluster.account);
  } catch (error) {
    await stop();
    throw error;
  }
  log.info({ port: server.port }, 'database server ready');
  return { urlFor: (database) => urlFor(database), stop };
}

/** The roles' passwords from a file only its owner reads. Without that file, or with a new role, there are new ones. */
function readOrMakePasswords(
  path: string,
  databases: readonly string[],
): { passwords: Passwords; areNew: boolean } {
  const kept = read(path);
  const missing = ['postgres', ...databases].filter((role) => kept[role] === undefined);
  const made = missing.map((role) => [role, randomBytes(24).toString('hex')]);
  return { passwords: { ...kept, ...Object.fromEntries(made) }, areNew: missing.length > 0 };
}

/** Readable by the user the server runs as, like the data: a server that recovers looks into every file there. */
function writePasswords(path: string, passwords: Passwords, account: Account): void {
  writeFileSync(path, `${JSON.stringify(passwords, null, 2)}\n`, { mode: 0o600 });
  if ('uid' in account) chownSync(path, account.uid, account.gid);
}

function read(path: string): Passwords {
  try {
    return Passwords.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ServerFailure(`${path} cannot be read; remove it and new passwords are made`);
  }
}

async function ensureDatabases(
  adminUrl: string,
  databases: readonly string[],
  passwords: Passwords,
  areNewPasswords: boolean,
): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    const { rows } = await admin.query<{ datname: string }>('select datname from pg_database');
    const present = new Set(rows.map((row) => row.datname));
    for (const name of databases) {
      const role = admin.escapeIdentifier(name);
      const password = admin.escapeLiteral(passwords[name]!);
      if (areNewPasswords) await ensureRole(admin, name, `login password ${password}`);
      if (present.has(name)) continue;
      await admin.query(`create database ${role} owner ${role}`);
      await admin.query(`revoke connect, temporary on database ${role} from public`);
    }
  } finally {
    await admin.end();
  }
}

async function ensureRole(admin: pg.Client, name: string, options: string): Promise<void> {
  const { rowCount } = await admin.query('select 1 from pg_roles where rolname = $1', [name]);
  await admin.query(`${rowCount ? 'alter' : 'create'} role ${admin.escapeIdentifier(name)} ${options}`);
}

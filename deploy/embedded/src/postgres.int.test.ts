import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '@tributary/servers/os-process.ts';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './postgres.ts';

const databases = ['orders', 'people'];
const log = { info: () => undefined, error: () => undefined };
const isRoot = process.getuid?.() === 0;
const whenRoot = isRoot ? test : test.skip;
/** An account without rights, there on every Unix. */
const nobody = { uid: 65_534, gid: 65_534 };

let home: string;
beforeEach(() => {
  // A folder that only its owner may enter: as root, the server's own user cannot pass it.
  home = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function query<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

const start = (port?: number) => startEmbeddedPostgres({ home, port, databases, log });

const serverPid = () => Number(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

/** A process of its own that starts the database, prints one of its addresses and waits. */
function startElsewhere(options: { uid?: number; gid?: number } = {}): ChildProcess {
  const program = `
    import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./postgres.ts'))};
    const log = { info() {}, error() {} };
    const postgres = await startEmbeddedPostgres({ home: ${JSON.stringify(home)}, databases: ['orders', 'people'], log });
    process.stdout.write(postgres.urlFor('orders'));
    process.stdin.resume().on('end', () => postgres.stop());
  `;
  return spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
    {
      ...options,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
}

/** A disk of chosen size needs the right to mount one, which root in a container may lack. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (status === 0) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return status === 0;
}

async function printedBy(child: ChildProcess): Promise<string> {
  const [text] = await once(child.stdout!, 'data');
  return String(text);
}

describe('a first start', () => {
  let postgres: EmbeddedPostgres;
  beforeEach(async () => {
    postgres = await start();
  });
  afterEach(() => postgres.stop());

  test('makes each database with a role of its own that reaches no other', async () => {
    const [row] = await query<{ name: string; who: string }>(
      postgres.urlFor('orders'),
      'select current_database() as name, current_user as who',
    );
    expect(row).toEqual({ name: 'orders', who: 'orders' });
    const foreign = postgres.urlFor('orders').replace(/\/orders$/, '/people');
    await expect(query(foreign, 'select 1')).rejects.toThrow(/permission denied for database/);
    const guessed = postgres.urlFor('orders').replace(/:[^:@]+@/, ':wrong@');
    await expect(query(guessed, 'select 1')).rejects.toThrow(/password authentication failed/);
  });

  test('makes durable databases in UTF-8 that sort by code point, closed to other users', async () => {
    const [row] = await query(
      postgres.urlFor('people'),
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('server_encoding') as encoding, 'Z' < 'a' as "byCodePoint", lower('Ä') as lower`,
    );
    expect(row).toEqual({ fsync: 'on', commit: 'on', encoding: 'UTF8', byCodePoint: true, lower: 'ä' });
    expect(statSync(join(home, 'postgres/passwords.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'postgres')).mode & 0o777).toBe(0o700);
  });
});

describe('a later start', () => {
  let started: string;
  beforeAll(async () => {
    started = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
    const first = await startEmbeddedPostgres({ home: started, databases, log });
    await query(first.urlFor('orders'), 'create table kept as select 42 as answer');
    await first.stop();
  });
  afterAll(() => rmSync(started, { recursive: true, force: true }));
  beforeEach(() => {
    spawnSync('cp', ['-a', `${started}/.`, home]);
  });

  const kept = async () => {
    const postgres = await start();
    const rows = await query(postgres.urlFor('orders'), 'select answer from kept');
    await postgres.stop();
    return rows;
  };

  test('finds what was written before, by the same role and password', async () => {
    expect(await kept()).toEqual([{ answer: 42 }]);
  });

  test('makes new passwords when the file with them is lost', async () => {
    rmSync(join(home, 'postgres/passwords.json'));
    expect(await kept()).toEqual([{ answer: 42 }]);
  });

  test('ends the server that a killed start left behind, and loses nothing it had committed', async () => {
    const killed = startElsewhere();
    await query(await printedBy(killed), 'update kept set answer = 43');
    const left = serverPid();
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(identityOf(left)).toBeDefined();
    expect(await kept()).toEqual([{ answer: 43 }]);
    expect(identityOf(left)).toBeUndefined();
  });

  test('recovers when the server was killed as well', async () => {
    const killed = startElsewhere();
    await query(await printedBy(killed), 'update kept set answer = 43');
    process.kill(serverPid(), 'SIGKILL');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(await kept()).toEqual([{ answer: 43 }]);
  });

  test('goes on where the number of the old server belongs to another program by now', async () => {
    writeFileSync(join(home, 'postgres/postmaster.pid'), `${process.pid}\n${home}/postgres\n`);
    expect(await kept()).toEqual([{ answer: 42 }]);
  });

  test('begins anew where the first one was cut off while making the cluster', async () => {
    renameSync(join(home, 'postgres'), join(home, 'postgres.new'));
    await (await start()).stop();
    expect(existsSync(join(home, 'postgres.new'))).toBe(false);
  });

  test('refuses data of another PostgreSQL version', async () => {
    writeFileSync(join(home, 'postgres/PG_VERSION'), '12\n');
    await expect(start()).rejects.toThrow(/the data in .*postgres is of another PostgreSQL version/);
  });

  test('refuses a home that another start runs on', async () => {
    const other = startElsewhere();
    await printedBy(other);
    await expect(start()).rejects.toThrow(`${home} is in use by process ${other.pid}`);
    other.stdin!.end();
    await once(other, 'exit');
  });

  test('refuses a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(start(port)).rejects.toThrow(`PostgreSQL did not start: port ${port} is in use`);
    taken.close();
  });
});

(canMount() ? test : test.skip)('a full disk is said in one line', async () => {
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', home]);
  try {
    await expect(start()).rejects.toThrow('PostgreSQL did not start: the disk is full');
  } finally {
    spawnSync('umount', [home]);
  }
});

describe('who runs the server', () => {
  whenRoot.each([
    ['open to all', 0o755],
    ['closed to all others', 0o700],
  ])('root leaves it to an ordinary user, in a home %s', async (_name, mode) => {
    chmodSync(home, mode);
    const postgres = await start();
    expect(statSync(`/proc/${serverPid()}`).uid).not.toBe(0);
    await postgres.stop();
  });

  whenRoot('an ordinary user runs it as himself, and root goes on with his data', async () => {
    chownSync(home, nobody.uid, nobody.gid);
    const other = startElsewhere(nobody);
    await query(await printedBy(other), 'create table kept as select 42 as answer');
    expect(statSync(`/proc/${serverPid()}`).uid).toBe(nobody.uid);
    other.stdin!.end();
    await once(other, 'exit');
    const postgres = await start();
    expect(await query(postgres.urlFor('orders'), 'select answer from kept')).toEqual([{ answer: 42 }]);
    await postgres.stop();
  });
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '@tributary/servers/os-process.ts';
import pg from 'pg';
import { startEmbeddedPostgres } from './postgres.ts';

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
  test('makes each database with a role of its own that reaches no other', async () => {
    const postgres = await start();
    try {
      const [row] = await query<{ name: string; who: string }>(
        postgres.urlFor('orders'),
        'select current_database() as name, current_user as who',
      );
      expect(row).toEqual({ name: 'orders', who: 'orders' });
      const foreign = postgres.urlFor('orders').replace(/\/orders$/, '/people');
      await expect(query(foreign, 'select 1')).rejects.toThrow(/permission denied for database/);
      await expect(
        query(postgres.urlFor('orders').replace(/:[^:@]+@/, ':wrong@'), 'select 1'),
      ).rejects.toThrow(/password authentication failed/);
    } finally {
      await postgres.stop();
    }
  });

  test('makes durable databases in UTF-8 that sort by code point', async () => {
    const postgres = await start();
    try {
      const [row] = await query(
        postgres.urlFor('people'),
        `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
          current_setting('server_encoding') as encoding, 'Z' < 'a' as "byCodePoint", lower('Ä') as lower`,
      );
      expect(row).toEqual({ fsync: 'on', commit: 'on', encoding: 'UTF8', byCodePoint: true, lower: 'ä' });
    } finally {
      await postgres.stop();
    }
  });

  test('keeps its passwords to its owner', async () => {
    await (await start()).stop();
    expect(statSync(join(home, 'postgres.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'postgres')).mode & 0o777).toBe(0o700);
  });
});

describe('a later start', () => {
  test('finds what was written before, by the same role and password', async () => {
    const first = await start();
    await query(first.urlFor('orders'), 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start();
    const rows = await query(second.urlFor('orders'), 'select answer from kept');
    await second.stop();
    expect(rows).toEqual([{ answer: 42 }]);
  });

  test('makes new passwords when the file with them is lost', async () => {
    const first = await start();
    await query(first.urlFor('orders'), 'create table kept as select 42 as answer');
    await first.stop();
    rmSync(join(home, 'postgres.json'));
    const second = await start();
    const rows = await query(second.urlFor('orders'), 'select answer from kept');
    await second.stop();
    expect(rows).toEqual([{ answer: 42 }]);
  });

  test('begins anew where the first start was cut off while making the cluster', async () => {
    spawnSync('mkdir', ['-p', join(home, 'postgres.new/base')]);
    await (await start()).stop();
    expect(existsSync(join(home, 'postgres.new'))).toBe(false);
  });

  test('ends the server that a killed start left behind, and loses nothing it had committed', async () => {
    const killed = startElsewhere();
    const url = await printedBy(killed);
    await query(url, 'create table kept as select 42 as answer');
    const left = serverPid();
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(identityOf(left)).toBeDefined();
    const next = await start();
    const rows = await query(next.urlFor('orders'), 'select answer from kept');
    await next.stop();
    expect(rows).toEqual([{ answer: 42 }]);
    expect(identityOf(left)).toBeUndefined();
  });

  test('recovers when the server was killed as well', async () => {
    const killed = startElsewhere();
    const url = await printedBy(killed);
    await query(url, 'create table kept as select 42 as answer');
    process.kill(serverPid(), 'SIGKILL');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const next = await start();
    const rows = await query(next.urlFor('orders'), 'select answer from kept');
    await next.stop();
    expect(rows).toEqual([{ answer: 42 }]);
  });
});

describe('what stands in the way is said in one line', () => {
  test('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(start(port)).rejects.toThrow(`PostgreSQL did not start: port ${port} is in use`);
    taken.close();
  });

  test('another start that runs on the same home', async () => {
    const other = startElsewhere();
    await printedBy(other);
    await expect(start()).rejects.toThrow(`${home} is in use by process ${other.pid}`);
    other.stdin!.end();
    await once(other, 'exit');
  });

  test('data of another PostgreSQL version', async () => {
    await (await start()).stop();
    spawnSync('sh', ['-c', 'echo 12 > "$1"', 'sh', join(home, 'postgres/PG_VERSION')]);
    await expect(start()).rejects.toThrow(/the data in .*postgres is of another PostgreSQL version/);
  });

  (canMount() ? test : test.skip)('a full disk', async () => {
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', home]);
    try {
      await expect(start()).rejects.toThrow('PostgreSQL did not start: the disk is full');
    } finally {
      spawnSync('umount', [home]);
    }
  });
});

describe('who runs the server', () => {
  whenRoot('root leaves it to an ordinary user, in a home open to all', async () => {
    chmodSync(home, 0o755);
    const postgres = await start();
    expect(statSync(`/proc/${serverPid()}`).uid).not.toBe(0);
    await postgres.stop();
  });

  whenRoot('root leaves it to an ordinary user, in a home closed to all others', async () => {
    const postgres = await start();
    expect(statSync(`/proc/${serverPid()}`).uid).not.toBe(0);
    await postgres.stop();
  });

  whenRoot('an ordinary user runs it as himself', async () => {
    chownSync(home, nobody.uid, nobody.gid);
    const other = startElsewhere(nobody);
    const url = await printedBy(other);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(statSync(`/proc/${serverPid()}`).uid).toBe(nobody.uid);
    other.stdin!.end();
    await once(other, 'exit');
  });

  whenRoot('root goes on with the data an ordinary user made', async () => {
    chownSync(home, nobody.uid, nobody.gid);
    const other = startElsewhere(nobody);
    await query(await printedBy(other), 'create table kept as select 42 as answer');
    other.stdin!.end();
    await once(other, 'exit');
    const postgres = await start();
    const rows = await query(postgres.urlFor('orders'), 'select answer from kept');
    await postgres.stop();
    expect(rows).toEqual([{ answer: 42 }]);
  });
});

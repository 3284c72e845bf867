import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasEnded, identityOf, type ProcessIdentity } from '@tributary/servers/os-process.ts';
import { eventually } from '../eventually.ts';
import { requirePostgres } from './postgres.ts';
import { describeWithRedis } from './redis.ts';

const module = (name: string) => JSON.stringify(join(import.meta.dirname, name));

/** A program with a test run of its own; it prints the run's folder once its database server is there, and waits. */
async function startRun() {
  const program = `
    const { beginRun } = await import(${module('test-run.ts')});
    const { requirePostgres } = await import(${module('postgres.ts')});
    const run = beginRun();
    await requirePostgres();
    process.stdout.write(run.folder);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DATABASE_URL: '' },
    },
  );
  const [folder] = await once(child.stdout, 'data');
  return { child, folder: String(folder) };
}

/** The local server's process, if the run has one: in a container it has none here. */
function serverIn(folder: string): ProcessIdentity | undefined {
  const pidFile = join(folder, 'postgres/data/postmaster.pid');
  return existsSync(pidFile) ? identityOf(Number(readFileSync(pidFile, 'utf8').split('\n')[0])) : undefined;
}

test('two who ask for a server at once are given the same', async () => {
  const [one, other] = await Promise.all([requirePostgres(), requirePostgres()]);
  expect(one).toEqual(other);
});

test('a run that is killed leaves neither a server nor a folder behind', async () => {
  const { child, folder } = await startRun();
  const server = serverIn(folder);
  child.kill('SIGKILL');
  if (server) expect(await hasEnded(server, 20_000)).toBe(true);
  await eventually(async () => expect(existsSync(folder)).toBe(false));
});

describeWithRedis('a Redis server', (url) => {
  test('has an address', async () => {
    expect(await url()).toMatch(/^rediss?:\/\//);
  });
});

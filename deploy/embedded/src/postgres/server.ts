import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { StartFailure } from '@tributary/runtime/start-failure.ts';
import pg from 'pg';
import { freePorts } from '../free-port.ts';
import { findBinaries } from './binaries.ts';
import { dataFolderFor, lastLine, makeCluster } from './data-folder.ts';
import { endLeftOver } from './left-over.ts';
import { serverUser } from './server-user.ts';

export interface EmbeddedPostgres {
  /** Address of the server as its superuser. */
  url: string;
  stop(): Promise<void>;
}

const START_MS = 30_000;
const STOP_MS = 15_000;
const KEPT_OUTPUT = 16_384;

/** Starts PostgreSQL on the home's own cluster, on a free port of loopback, making the cluster at the first start. */
export async function startPostgres(home: string, password: string): Promise<EmbeddedPostgres> {
  const user = serverUser();
  const binaries = await findBinaries(user);
  const folder = dataFolderFor(home, user);
  await endLeftOver(folder);
  makeCluster(folder, binaries, user, password);
  const [port] = await freePorts(1);
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    log_timezone: 'UTC',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // A process group of its own: Ctrl-C reaches this process first, which stops the services before their database.
  const server = spawn(binaries.postgres, ['-D', folder, ...options], {
    ...user.spawn,
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endWithProcess = () => server.kill('SIGINT');
  process.once('exit', endWithProcess);
  const output = keepOutput(server);
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  await ready(server, url, output);
  return {
    url,
    async stop() {
      process.off('exit', endWithProcess);
      if (server.exitCode !== null) return;
      server.kill('SIGINT');
      const timer = setTimeout(() => server.kill('SIGQUIT'), STOP_MS);
      await once(server, 'exit');
      clearTimeout(timer);
    },
  };
}

function keepOutput(server: ChildProcess): () => string {
  let kept = '';
  server.stderr!.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-KEPT_OUTPUT);
  });
  return () => kept;
}

async function ready(server: ChildProcess, url: string, output: () => string): Promise<void> {
  let failure: Error | undefined;
  server.once('error', (error) => {
    failure = error;
  });
  for (const startedAt = Date.now(); ; await pause(15)) {
    if (failure || server.exitCode !== null)
      throw new StartFailure(`the database did not start: ${failure?.message ?? lastLine(output())}`);
    if (Date.now() - startedAt > START_MS)
      throw new StartFailure(`the database did not start within ${START_MS / 1000} s: ${lastLine(output())}`);
    if (await accepts(url)) return;
  }
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServerFailure } from './failure.ts';
import { freePorts } from './free-ports.ts';
import { endProcess, identityOf, isAlive, type ProcessIdentity } from './os-process.ts';
import { type Cluster, dataPath, explain, programOptions, setSuperuserPassword } from './postgres-cluster.ts';

export interface PostgresServer {
  port: number;
  process: ProcessIdentity;
  /** Fast shutdown: open transactions are rolled back, what was committed is on disk. */
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** A free one when absent. */
  port?: number;
  /** Configuration parameters, over the cluster's own. */
  settings?: Readonly<Record<string, string>>;
  /** File that receives what the server prints. */
  logFile: string;
  /** Becomes the superuser's password before the server starts. */
  newSuperuserPassword?: string;
  /** Called when the server ends without having been stopped. */
  onUnexpectedExit?: () => void;
}

const PORT_ATTEMPTS = 5;
const READY_POLL_MS = 5;
/** Recovery after a crash replays the log first, so the start may take its time. */
const READY_TIMEOUT_MS = 120_000;
const LINGERING_ATTEMPTS = 50;
const LINGERING_POLL_MS = 100;

/** Fast, then immediate shutdown (no checkpoint, recovery at the next start), then the last resort. */
const shutdown = [
  ['SIGINT', 15_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const;

/**
 * Starts a server on the cluster, on loopback only, and resolves once it takes connections. A server that an earlier
 * process left behind on the same data is ended first; make sure that process is gone.
 */
export async function startPostgres(
  cluster: Cluster,
  options: PostgresServerOptions,
): Promise<PostgresServer> {
  await endLeftover(cluster.folder);
  if (options.newSuperuserPassword) setSuperuserPassword(cluster, options.newSuperuserPassword);
  const attempts = { portTaken: PORT_ATTEMPTS, stillHeld: LINGERING_ATTEMPTS };
  for (;;) {
    const port = options.port ?? (await freePorts(1))[0]!;
    try {
      return await startOn(port, cluster, options);
    } catch (error) {
      const reason = error instanceof StartFailure ? error.reason : undefined;
      if (reason === 'portTaken' && options.port !== undefined) throw error;
      if (reason === undefined || --attempts[reason] === 0) throw error;
      // Workers of a server that was killed hold its memory until they notice, a moment later.
      if (reason === 'stillHeld') await delay(LINGERING_POLL_MS);
    }
  }
}

async function startOn(
  port: number,
  cluster: Cluster,
  options: PostgresServerOptions,
): Promise<PostgresServer> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    ...options.settings,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output = openSync(options.logFile, 'w', 0o600);
  // In a session of its own: a Ctrl-C at the terminal must not end the database before its users are done with it.
  const child = spawn(cluster.programs.postgres, ['-D', dataPath(cluster), ...args], {
    ...programOptions(cluster),
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  await untilReady(child, cluster, options.logFile, port);
  child.unref();
  const identity = identityOf(child.pid!);
  if (!identity) throw new ServerFailure('PostgreSQL ended as soon as it had started');
  // Where this process ends without stopping the server (an error nobody caught), the server ends with it.
  const endWithUs = () => child.kill('SIGINT');
  process.once('exit', endWithUs);
  let isStopping = false;
  child.once('exit', () => {
    process.off('exit', endWithUs);
    if (!isStopping) options.onUnexpectedExit?.();
  });
  return {
    port,
    process: identity,
    stop() {
      isStopping = true;
      return endProcess(identity, shutdown);
    },
  };
}

/** The server writes `ready` into its pid file when it takes connections; that is what pg_ctl waits for too. */
async function untilReady(
  child: ChildProcess,
  { folder }: Cluster,
  logFile: string,
  port: number,
): Promise<void> {
  let spawnFailure: string | undefined;
  child.once('error', (error) => {
    spawnFailure = error.message;
  });
  for (const deadline = Date.now() + READY_TIMEOUT_MS; Date.now() < deadline; await delay(READY_POLL_MS)) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (spawnFailure || hasEnded)
      throw startFailure(folder, port, spawnFailure ?? readFileSync(logFile, 'utf8'));
    const pidFile = readPidFile(folder);
    if (pidFile?.pid === child.pid && pidFile?.status === 'ready') return;
  }
  child.kill('SIGQUIT');
  throw new ServerFailure(
    `PostgreSQL was not ready within ${READY_TIMEOUT_MS / 1000} s; its output is in ${logFile}`,
  );
}

/**
 * Ends a server that still runs on this data, and removes its pid file when its number meanwhile belongs to some
 * other program, for which PostgreSQL would refuse to start.
 */
async function endLeftover(folder: string): Promise<void> {
  const pidFile = readPidFile(folder);
  if (!pidFile) return;
  const identity = identityOf(pidFile.pid);
  if (identity && worksIn(identity.pid, folder)) {
    await endProcess(identity, shutdown);
    if (isAlive(identity))
      throw new ServerFailure(`an old database server (process ${identity.pid}) cannot be ended`);
  }
  rmSync(join(folder, 'postmaster.pid'), { force: true });
}

function readPidFile(folder: string): { pid: number; status: string | undefined } | undefined {
  try {
    const lines = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), status: lines[7]?.trim() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the process is a server on this data: a PostgreSQL server's working directory is its data folder. */
function worksIn(pid: number, folder: string): boolean {
  try {
    if (process.platform !== 'linux') return commandOf(pid).includes(`postgres -D ${folder}`);
    const program = basename(readlinkSync(`/proc/${pid}/exe`));
    return program.startsWith('postgres') && readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}

const commandOf = (pid: number) =>
  execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });

/** A start that may succeed when it is tried again. */
class StartFailure extends ServerFailure {
  readonly reason: 'portTaken' | 'stillHeld' | undefined;
  constructor(message: string, output: string) {
    super(message);
    if (/Address already in use/.test(output)) this.reason = 'portTaken';
    if (/pre-existing shared memory block/.test(output)) this.reason = 'stillHeld';
  }
}

const startFailure = (folder: string, port: number, output: string) =>
  new StartFailure(explain(folder, output).replace('its port', `port ${port}`), output);

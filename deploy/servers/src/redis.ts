import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MissingServer, ServerFailure } from './failure.ts';
import { freePorts } from './free-ports.ts';
import { mavenServers } from './maven.ts';
import { endProcess, identityOf } from './os-process.ts';

export interface RedisServer {
  url: string;
  stop(): Promise<void>;
}

const PORT_ATTEMPTS = 3;
const READY_TIMEOUT_MS = 10_000;
const READY_POLL_MS = 5;

const shutdown = [
  ['SIGTERM', 5_000],
  ['SIGKILL', 5_000],
] as const;

/**
 * Starts redis-server on loopback, with nothing kept on disk: the one on the PATH, else the binary from Maven Central.
 * @param port a free one unless told otherwise
 * @throws MissingServer when there is neither
 */
export async function startRedis(folder: string, port?: number): Promise<RedisServer> {
  const program = findProgram();
  mkdirSync(folder, { recursive: true });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(program, folder, port ?? (await freePorts(1))[0]!);
    } catch (error) {
      const isRace = /Address already in use/.test((error as Error).message);
      if (!isRace || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function start(program: string, folder: string, port: number): Promise<RedisServer> {
  const logFile = join(folder, 'redis.log');
  const output = openSync(logFile, 'w');
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ];
  const child = spawn(program, args, { detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const printed = () => readFileSync(logFile, 'utf8');
  const identity = identityOf(child.pid!)!;
  for (const deadline = Date.now() + READY_TIMEOUT_MS; !/eady to accept connections/.test(printed()); ) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await endProcess(identity, shutdown);
      throw new ServerFailure(`Redis did not start: ${printed().slice(-1000)}`);
    }
    await delay(READY_POLL_MS);
  }
  child.unref();
  return { url: `redis://127.0.0.1:${port}`, stop: () => endProcess(identity, shutdown) };
}

function findProgram(): string {
  if (spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0) return 'redis-server';
  const folder = join(mavenServers(), 'redis');
  const suffix = `-${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`;
  const name = readdirSync(folder).find((file) => file.endsWith(suffix));
  if (!name) throw new MissingServer(`there is no Redis binary for ${platform()} ${arch()}`);
  const program = join(folder, name);
  chmodSync(program, 0o755);
  const { status, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new MissingServer(`its binary does not run on this machine: ${stderr}`);
  return program;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
const nodeOptions = [
  '--disable-warning=ExperimentalWarning',
  '--import=./deploy/bootstrap/end-with-parent.js',
];
const RESTART_MS = 50;
const READY_POLL_MS = 50;

export interface ProcessOptions {
  name: string;
  /** Program, relative to the root of the repository. */
  program: string;
  environment: Readonly<Record<string, string>>;
  /** Port on which it tells whether it is ready. */
  port: number;
  /** What it prints. */
  logFile: string;
}

/** `degraded`: it works without something that it misses. */
export type Readiness = 'ready' | 'degraded' | 'unavailable' | 'stopping';

/** A process that is started again, on the same ports, whenever it ends without having been told to. */
export interface KeptProcess {
  readonly name: string;
  readonly port: number;
  /** How often it ended by itself, other than by `kill`. */
  readonly crashes: number;
  /** SIGKILL; resolves once it has ended. */
  kill(): Promise<void>;
  /** SIGSTOP: alive for everybody else, and doing nothing. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM; resolves with the exit code once it has ended. It is not started again. */
  stop(): Promise<number | null>;
  /** Resolves once it answers that it is ready, and misses nothing. */
  ready(withinMs: number): Promise<void>;
  /** What `/readyz` says, or undefined when nobody answers. */
  readiness(): Promise<Readiness | undefined>;
  /** Memory it holds, in MiB. */
  residentMiB(): Promise<number | undefined>;
}

export function keepProcess(options: ProcessOptions): KeptProcess {
  const { name, port } = options;
  const url = `http://127.0.0.1:${port}`;
  let child = launch(options);
  let isWanted = true;
  let isKilled = false;
  let crashes = 0;
  const watch = () =>
    child.once('exit', async () => {
      if (isWanted && !isKilled) crashes += 1;
      isKilled = false;
      await pause(RESTART_MS);
      if (!isWanted) return;
      child = launch(options);
      watch();
    });
  watch();

  const readiness = async () => {
    try {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) });
      return ((await answer.json()) as { status: Readiness }).status;
    } catch {
      return undefined;
    }
  };
  return {
    name,
    port,
    get crashes() {
      return crashes;
    },
    async kill() {
      if (hasEnded(child)) return;
      const ended = once(child, 'exit');
      isKilled = child.kill('SIGKILL');
      await ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      isWanted = false;
      if (hasEnded(child)) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const cutOff = setTimeout(() => child.kill('SIGKILL'), 40_000);
      await ended;
      clearTimeout(cutOff);
      return child.exitCode;
    },
    readiness,
    async ready(withinMs) {
      for (
        const deadline = Date.now() + withinMs;
        (await readiness()) !== 'ready';
        await pause(READY_POLL_MS)
      ) {
        if (Date.now() > deadline) throw new Error(`${name} was not ready within ${withinMs} ms`);
      }
    },
    async residentMiB() {
      const answer = await fetch(`${url}/metrics`).catch(() => undefined);
      const [, bytes] = /^process_resident_memory_bytes (\S+)/m.exec((await answer?.text()) ?? '') ?? [];
      return bytes === undefined ? undefined : Math.round(Number(bytes) / 2 ** 20);
    },
  };
}

function launch({ program, environment, logFile }: ProcessOptions): ChildProcess {
  const output = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...nodeOptions, program], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    // The channel tells the process when we are gone.
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  return child;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

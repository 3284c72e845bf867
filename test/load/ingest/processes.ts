import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Worker {
  name: string;
  port: number;
  /** Processor time used so far, microseconds. */
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

/** As services are started in `deploy/docker/Dockerfile`. */
const MEMORY = ['--single-threaded-gc', '--initial-old-space-size=128', '--max-semi-space-size=8'];

/** Starts one process of the platform. */
export async function startWorker(name: string, role: string, argument = ''): Promise<Worker> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), [role, argument], {
    execArgv: ['--disable-warning=ExperimentalWarning', ...MEMORY, ...profiling(role)],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [message] = await once(child, 'message');
  const { port } = message as { port: number };
  return { name, port, cpuMicros: () => cpuOf(child), stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  child.disconnect();
  await once(child, 'exit');
}

/** `PROFILE=metering` writes a CPU profile of that process to the working directory when it ends. */
const profiling = (role: string) => (process.env.PROFILE === role ? ['--cpu-prof'] : []);

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return usage.user + usage.system;
}

/**
 * Processor time of a PostgreSQL server and all its backends, living and ended, microseconds; undefined where there is
 * no `/proc`.
 */
export function postgresCpuMicros(postmaster: number): number | undefined {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const ticks = pids.map((pid) => ticksOf(pid, postmaster)).reduce((sum, one) => sum + one, 0);
    return ticks * MICROS_PER_TICK;
  } catch {
    return undefined;
  }
}

/** Linux counts in hundredths of a second for programs, whatever its own clock. */
const MICROS_PER_TICK = 10_000;

function ticksOf(pid: string, postmaster: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return 0;
  }
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map((place) => fields[place]!);
  if (Number(pid) === postmaster) return user! + system! + childUser! + childSystem!;
  return parent === postmaster ? user! + system! : 0;
}

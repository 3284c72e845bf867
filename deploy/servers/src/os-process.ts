import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process of this machine, told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the operating system's own terms. */
  started: string;
}

const POLL_MS = 10;

/** The identity of a running process; undefined when there is none with this number. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  if (!isRunning(pid)) return undefined;
  const started = startOf(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether exactly this process still runs. */
export const isAlive = (identity: ProcessIdentity): boolean =>
  identityOf(identity.pid)?.started === identity.started;

/** Resolves to whether the process had ended within the time. */
export async function hasEnded(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(POLL_MS)) {
    if (!isAlive(identity)) return true;
  }
  return !isAlive(identity);
}

/** Sends the signals one after the other, each with its time, until the process has ended. */
export async function endProcess(
  identity: ProcessIdentity,
  steps: readonly (readonly [NodeJS.Signals, number])[],
): Promise<void> {
  for (const [signal, timeoutMs] of steps) {
    if (!isAlive(identity)) return;
    send(identity.pid, signal);
    if (await hasEnded(identity, timeoutMs)) return;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return startByPs(pid);
  try {
    // After the name in parentheses, which may hold anything: state, parent, …, the start time is the 20th.
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not noticed yet.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

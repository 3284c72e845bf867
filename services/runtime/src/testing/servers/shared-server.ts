import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { currentRun } from './test-run.ts';

export type ServerKind = 'postgres' | 'kafka' | 'redis';

export interface StartedServer {
  addresses: readonly string[];
  stop(): Promise<void>;
}

/** What became of the attempt to have a server: its addresses, or why this machine cannot have one. */
export type Found = { addresses: readonly string[] } | { missing: string } | { failed: string };

const POLL_MS = 20;
/** The first start on a machine downloads the server. */
const TIMEOUT_MS = 300_000;

const outcomePath = (folder: string, kind: ServerKind) => join(folder, `${kind}.json`);

/**
 * The run's server of this kind. Whoever asks first has it started by a keeper, a process of its own that outlives
 * the worker and ends when the run does; all others wait for the same one.
 * @throws Error when the server was there to be started but did not start
 */
export async function sharedServer(
  kind: ServerKind,
): Promise<{ addresses: readonly string[] } | { missing: string }> {
  const { folder } = currentRun();
  if (isFirst(folder, kind)) startKeeper(folder, kind);
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await pause(POLL_MS)) {
    const found = readOutcome(folder, kind);
    if (found && 'failed' in found) throw new Error(`${kind} did not start: ${found.failed}`);
    if (found) return found;
  }
  throw new Error(`${kind} did not start within ${TIMEOUT_MS / 1000} s; see ${folder}`);
}

/** Tells everybody who waits; the file appears with its content. */
export function writeOutcome(folder: string, kind: ServerKind, found: Found): void {
  const path = outcomePath(folder, kind);
  writeFileSync(`${path}.new`, JSON.stringify(found));
  renameSync(`${path}.new`, path);
}

function readOutcome(folder: string, kind: ServerKind): Found | undefined {
  try {
    return JSON.parse(readFileSync(outcomePath(folder, kind), 'utf8')) as Found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isFirst(folder: string, kind: ServerKind): boolean {
  try {
    mkdirSync(join(folder, kind), { mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function startKeeper(folder: string, kind: ServerKind): void {
  const output = openSync(join(folder, `${kind}.log`), 'a');
  const program = join(import.meta.dirname, 'keeper.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, kind], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  child.unref();
  closeSync(output);
}

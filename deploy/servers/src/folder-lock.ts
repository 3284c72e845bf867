import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServerFailure } from './failure.ts';
import { identityOf, isAlive, type ProcessIdentity } from './os-process.ts';

export interface FolderLock {
  release(): void;
}

const POLL_MS = 50;
/** Long enough for a predecessor that is just shutting down. */
const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Holds a folder for this process, so that no second one works on what is in it. The lock of a process that is gone,
 * however it ended, does not count.
 * @throws ServerFailure naming the process that holds the folder
 */
export async function holdFolder(
  folder: string,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<FolderLock> {
  const path = join(folder, 'lock');
  const content = JSON.stringify(identityOf(process.pid));
  for (const deadline = Date.now() + timeoutMs; ; await delay(POLL_MS)) {
    if (take(path, content)) return { release: () => rmSync(path, { force: true }) };
    const holder = readHolder(path);
    if (holder && isAlive(holder)) {
      if (Date.now() < deadline) continue;
      throw new ServerFailure(`${folder} is in use by process ${holder.pid}`);
    }
    dropStale(path, holder);
  }
}

/** A link appears with its content or not at all, and fails when the name is taken. */
function take(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/** Undefined when there is no lock, or none that can be read. */
function readHolder(path: string): ProcessIdentity | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(path, 'utf8'));
    return { pid, started };
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Moves the lock aside before removing it: between reading and removing, another process may have replaced it. */
function dropStale(path: string, stale: ProcessIdentity | undefined): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readHolder(aside);
  if (moved?.started !== stale?.started && moved && isAlive(moved)) renameSync(aside, path);
  else rmSync(aside, { force: true });
}

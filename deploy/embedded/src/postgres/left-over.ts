import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StartFailure } from '@tributary/runtime/start-failure.ts';

const PATIENCE_MS = 20_000;

/** Ends a database server that a killed start left behind on this folder, if there is one. */
export async function endLeftOver(folder: string): Promise<void> {
  const pid = serverOn(folder);
  if (pid === undefined) return;
  process.kill(pid, 'SIGINT');
  for (const startedAt = Date.now(); isServer(pid, folder); await pause(20)) {
    if (Date.now() - startedAt > PATIENCE_MS)
      throw new StartFailure(`a database server left behind (pid ${pid}) does not end`);
  }
}

function serverOn(folder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return isServer(pid, folder) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process is a PostgreSQL server on this folder: its number may have gone to another since. */
function isServer(pid: number, folder: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
  } catch {
    return false;
  }
}

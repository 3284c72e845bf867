import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartFailure } from '@tributary/runtime/start-failure.ts';

/** Takes the home for this process; refuses while another start is running in it. Returns how to give it back. */
export function lockHome(home: string): () => void {
  const path = join(home, 'tributary.pid');
  mkdirSync(home, { recursive: true });
  const other = runningStart(path);
  if (other !== undefined) throw new StartFailure(`already running in ${home} (pid ${other})`);
  writeFileSync(path, `${process.pid}\n`);
  return () => rmSync(path, { force: true });
}

/** The number of a live process that took the home; after kill -9 it may have gone to a program of another kind. */
function runningStart(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    if (!Number.isInteger(pid) || pid === process.pid) return undefined;
    process.kill(pid, 0);
    const isNode =
      process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.ts');
    return isNode ? pid : undefined;
  } catch {
    return undefined;
  }
}

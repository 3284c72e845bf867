import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { getBytes, openLoop, type Posted, type Target } from './posts.ts';

const PER_SECOND = 100;
const CONNECTIONS = 8;

interface Wanted {
  target: Target;
  seconds: number;
}

/** Reads one address at a fixed rate. */
export interface Reader {
  /** @returns latencies in milliseconds */
  read(target: Target, seconds: number): Promise<number[]>;
  stop(): void;
}

/** A process of its own: one that sends ingests besides would measure how it holds up itself. */
export function startReader(): Reader {
  const child = fork(fileURLToPath(import.meta.url), ['read'], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
  });
  return {
    async read(target, seconds) {
      child.send({ target, seconds } satisfies Wanted);
      const [posted] = (await once(child, 'message')) as [Posted];
      if (posted.failures > 0) throw new Error(`${posted.failures} reads failed`);
      return posted.latencies;
    },
    stop: () => child.disconnect(),
  };
}

if (process.send && process.argv[2] === 'read') {
  process.on('message', async ({ target, seconds }: Wanted) => {
    const requests = Array.from({ length: PER_SECOND * seconds }, () => getBytes(target));
    process.send!(await openLoop(target, CONNECTIONS, PER_SECOND, requests));
  });
}

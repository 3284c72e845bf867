import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames } from '@tributary/embedded/service-names.ts';
import { largestMiB } from '../memory.ts';
import { expectReadiness } from '../readiness.ts';
import { type Fault, READY_MS } from './fault.ts';

/** What a service is given on Kubernetes (`deploy/k8s/base/service/deployment.yaml`). */
const MOST_MIB = 512;

/** While it is away, services say that they miss it, and hold no more memory than they need. */
export const stopKafka =
  (forMs: number, how: 'kill' | 'stop'): Fault =>
  async ({ platform }) => {
    const before = await largestMiB(platform);
    await platform.servers[how]('kafka');
    const startedAt = Date.now();
    let during = before;
    const wrong: string[] = [];
    try {
      wrong.push(...(await expectReadiness(platform, serviceNames, 'degraded')));
      await pause(Math.max(0, forMs - (Date.now() - startedAt)));
      during = await largestMiB(platform);
    } finally {
      await platform.servers.start('kafka');
    }
    await platform.ready(READY_MS);
    const after = await largestMiB(platform);
    if (during > MOST_MIB) wrong.push(`memory grew from ${before} to ${during} MiB`);
    return { note: `largest process ${before} MiB before, ${during} while away, ${after} after`, wrong };
  };

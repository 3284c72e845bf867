import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames } from '@tributary/embedded/service-names.ts';
import { expectReadiness } from '../readiness.ts';
import { type Fault, READY_MS } from './fault.ts';

/** Nothing in it is needed: the gateway says that it misses it, and no request fails for it. */
export const stopRedis =
  (forMs: number): Fault =>
  async ({ platform, load: { attempts } }) => {
    const failedBefore = attempts.failed;
    const wrong: string[] = [];
    await platform.servers.stop('redis');
    try {
      await pause(forMs);
      wrong.push(...(await expectReadiness(platform, serviceNames, 'ready')));
      wrong.push(...(await expectReadiness(platform, ['gateway'], 'degraded')));
    } finally {
      await platform.servers.start('redis');
    }
    await platform.ready(READY_MS);
    const failed = attempts.failed - failedBefore;
    if (failed > 0)
      wrong.push(`${failed} requests failed without Redis`, ...attempts.failures.slice(-failed));
    return { wrong };
  };

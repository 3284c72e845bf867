import { serviceNames } from '@tributary/embedded/service-names.ts';
import { expectReadiness } from '../readiness.ts';
import { type Fault, READY_MS } from './fault.ts';

/** It stays away until every service has said that it is not ready. */
export const restartPostgres =
  (how: 'kill' | 'stop'): Fault =>
  async ({ platform }) => {
    await platform.servers[how]('postgres');
    let wrong: string[] = [];
    try {
      wrong = await expectReadiness(platform, serviceNames, 'unavailable');
    } finally {
      await platform.servers.start('postgres');
    }
    await platform.ready(READY_MS);
    return { wrong };
  };

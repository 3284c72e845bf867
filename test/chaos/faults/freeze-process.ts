import { setTimeout as pause } from 'node:timers/promises';
import { type ProcessName, processNames } from '../environment.ts';
import { expectReadiness } from '../readiness.ts';
import { type Fault, READY_MS } from './fault.ts';

/** SIGSTOP: its connections stay open and nobody answers. The others remain ready, but for who cannot do without it. */
export const freezeProcess =
  (name: ProcessName, forMs: number): Fault =>
  async ({ platform }) => {
    const others = processNames.filter(
      (other) => other !== name && !(other === 'gateway' && name === 'identity'),
    );
    const wrong: string[] = [];
    platform.processes[name].freeze();
    try {
      wrong.push(...(await expectReadiness(platform, [name], undefined)));
      await pause(forMs);
      wrong.push(...(await expectReadiness(platform, others, 'ready')));
    } finally {
      platform.processes[name].thaw();
    }
    await platform.ready(READY_MS);
    return { wrong };
  };

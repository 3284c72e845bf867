import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@tributary/embedded/service-names.ts';
import { type Fault, READY_MS } from './fault.ts';

/**
 * A twin of every service joins its consumer group while messages of one key come one after the other, and leaves it
 * again: partitions change hands twice. One of the twins is killed instead, so that its partitions are taken from it.
 */
export const rebalance =
  (names: readonly ServiceName[], forMs: number): Fault =>
  async ({ platform, random }) => {
    const twins = await Promise.all(names.map((name) => platform.double(name)));
    await pause(forMs);
    const doomed = twins[random.integer(0, twins.length - 1)]!;
    await doomed.kill();
    await doomed.ready(READY_MS);
    await pause(forMs);
    const exitCodes = await Promise.all(twins.map((twin) => platform.leave(twin)));
    const wrong = twins.flatMap(({ name }, index) =>
      exitCodes[index] === 0 ? [] : [`${name} ended with ${exitCodes[index]} after SIGTERM`],
    );
    return { kills: 1, wrong };
  };

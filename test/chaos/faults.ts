import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessName } from './environment.ts';
import type { Load } from './load.ts';
import type { ChaosPlatform } from './platform.ts';
import { publishUnreadable, republish } from './republish.ts';

/** Something that goes wrong while the load is on. Resolves when the cause is gone; the platform may still be ill. */
export interface Fault {
  name: string;
  happen(platform: ChaosPlatform, load: Load): Promise<string | undefined>;
}

const READY_MS = 90_000;
const READINESS_MS = 15_000;

/** kill -9; whoever keeps the process starts it again. */
export const killed = (name: ProcessName, afterMs: number): Fault => ({
  name: `${name} killed`,
  async happen({ processes }) {
    await pause(afterMs);
    processes[name].kill();
    const killedAt = Date.now();
    await pause(300);
    await processes[name].ready(READY_MS);
    return `ready after ${((Date.now() - killedAt) / 1000).toFixed(1)} s`;
  },
});

/** Several faults, all at once. */
export const together = (faults: readonly Fault[]): Fault => ({
  name: faults.map(({ name }) => name).join(', '),
  async happen(platform, load) {
    await Promise.all(faults.map((fault) => fault.happen(platform, load)));
    return undefined;
  },
});

/** SIGSTOP: connections stay open and nobody answers. */
export const frozen = (name: ProcessName, forMs: number): Fault => ({
  name: `${name} paused for ${forMs / 1000} s`,
  async happen({ processes }) {
    processes[name].freeze();
    try {
      await pause(forMs);
    } finally {
      processes[name].thaw();
    }
    await processes[name].ready(READY_MS);
    return undefined;
  },
});

/** While it is away, services say that they are not ready, and hold no more memory than they need. */
export const kafkaAway = (forMs: number, how: 'kill' | 'stop'): Fault => ({
  name: `Kafka ${how === 'kill' ? 'killed' : 'stopped'} for ${forMs / 1000} s`,
  async happen(platform) {
    const before = await memoryOf(platform);
    await platform.servers[how]('kafka');
    const startedAt = Date.now();
    let during = before;
    try {
      await everyReadiness(platform, 503);
      await pause(Math.max(0, forMs - (Date.now() - startedAt)));
      during = await memoryOf(platform);
    } finally {
      await platform.servers.start('kafka');
    }
    await platform.ready(READY_MS);
    return `memory at most ${before} MiB before and ${during} MiB during it`;
  },
});

export const postgresRestarted = (how: 'kill' | 'stop'): Fault => ({
  name: `PostgreSQL ${how === 'kill' ? 'killed and recovered' : 'restarted'}`,
  async happen(platform) {
    await platform.servers[how]('postgres');
    await platform.servers.start('postgres');
    await platform.ready(READY_MS);
    return undefined;
  },
});

export const redisAway = (forMs: number): Fault => ({
  name: `Redis gone for ${forMs / 1000} s`,
  async happen(platform, { attempts }) {
    const failedBefore = attempts.failed;
    await platform.servers.stop('redis');
    try {
      await pause(forMs);
    } finally {
      await platform.servers.start('redis');
    }
    return `${attempts.failed - failedBefore} failed requests`;
  },
});

/** What lies on the topics is put there twice more, with the same ids. */
export const deliveredThrice = (): Fault => ({
  name: 'every message delivered three times',
  async happen({ servers }) {
    const repeated = await republish(servers.broker, 2);
    return `${repeated} repetitions`;
  },
});

/** A twin of every service consumes, relays and runs jobs beside it, then leaves: two rebalances of each group. */
export const doubled = (names: readonly ProcessName[], forMs: number): Fault => ({
  name: 'two of every service, then one again',
  async happen(platform) {
    const twins = await Promise.all(names.map((name) => platform.double(name)));
    await pause(forMs);
    await Promise.all(twins.map((twin) => platform.leave(twin)));
    return undefined;
  },
});

export const poisoned = (): Fault => ({
  name: 'unreadable messages on every topic',
  async happen({ servers }) {
    return `${await publishUnreadable(servers.broker)} published`;
  },
});

/** Every process is replaced as a rolling update does; nobody may notice. */
export const rolled = (names: readonly ProcessName[]): Fault => ({
  name: 'rolling restart',
  async happen(platform, { attempts, record }) {
    const failedBefore = attempts.failed;
    const sentBefore = attempts.sent;
    for (const name of names) {
      const { exitCode } = await platform.replace(name);
      if (exitCode !== 0) record.errors.push(`${name} ended with ${exitCode} after SIGTERM`);
    }
    const failed = attempts.failed - failedBefore;
    if (failed > 0) record.errors.push(...attempts.failures.slice(-failed));
    return `${failed} of ${attempts.sent - sentBefore} requests failed`;
  },
});

/** Waits until every process answers with this status, which it must do soon. */
async function everyReadiness({ processes }: ChaosPlatform, status: number): Promise<void> {
  const services = Object.values(processes).filter(({ name }) => name !== 'gateway');
  for (const deadline = Date.now() + READINESS_MS; ; await pause(200)) {
    const answers = await Promise.all(services.map((each) => each.readiness()));
    if (answers.every((answer) => answer === status)) return;
    if (Date.now() > deadline)
      throw new Error(
        `readiness: ${services.map(({ name }, index) => `${name} ${answers[index]}`).join(', ')}`,
      );
  }
}

async function memoryOf({ processes }: ChaosPlatform): Promise<number> {
  const sizes = await Promise.all(Object.values(processes).map((each) => each.residentMiB()));
  return Math.max(...sizes.map((size) => size ?? 0));
}

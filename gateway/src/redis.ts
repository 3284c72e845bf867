import { Principal } from '@tributary/proto/principal.ts';
import { within } from '@tributary/runtime/deadline.ts';
import type { Logger } from '@tributary/runtime/log.ts';
import { createClient } from 'redis';
import { z } from 'zod';
import type { Remembered, SharedMemory } from './token-cache.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 100;
const SILENCE_MS = 5_000;

export type Redis = ReturnType<typeof connectRedis>;

/**
 * A Redis client that never holds anything up: it connects by itself, for ever, and refuses commands meanwhile
 * instead of queueing them.
 */
export function connectRedis(url: string, log: Logger) {
  const redis = createClient({
    url,
    disableOfflineQueue: true,
    // The default starts an abort timer per command and costs four fifths of the throughput.
    commandOptions: { timeout: undefined },
    pingInterval: SILENCE_MS / 2,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (attempts) => Math.min(50 * 2 ** Math.min(attempts, 6), MAX_RECONNECT_MS),
    },
  });
  let isDown = false;
  redis.on('error', (error: unknown) => {
    if (!isDown) log.warn({ err: error }, 'redis is not available; each gateway works on its own memory');
    isDown = true;
  });
  redis.on('ready', () => {
    if (isDown) log.info('redis is available again');
    isDown = false;
  });
  // A failed first attempt is retried like any other and has been logged.
  redis.connect().catch(() => undefined);
  return redis;
}

const RememberedShape = z.object({ principal: Principal, untilMs: z.number() });
const tokenKey = (hash: string) => `tributary:token:${hash}`;
const revokedKey = (key: string) => `tributary:revoked:${key}`;
/** Longer than anything is remembered: no gateway can bring a revoked token back. */
const REVOKED_SECONDS = 60;

/** Principals shared by all gateways through Redis; a revoked token is marked, so that a late write cannot undo it. */
export function redisMemory(redis: Redis, now: () => Date): SharedMemory {
  const quietly = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    if (!redis.isReady) return undefined;
    return within(ANSWER_TIMEOUT_MS, work(), () => undefined).catch(() => undefined);
  };

  async function read(hash: string): Promise<Remembered | undefined> {
    const [text, revoked] = await redis.mGet([tokenKey(hash), revokedKey(hash)]);
    if (!text || revoked) return undefined;
    const { data } = RememberedShape.safeParse(JSON.parse(text));
    if (!data || data.untilMs <= now().getTime() || data.principal.kind === 'anonymous') return undefined;
    return (await redis.exists(revokedKey(data.principal.token_id))) ? undefined : data;
  }

  return {
    read: (hash) => quietly(() => read(hash)),
    async write(hash, remembered) {
      const lifetimeMs = remembered.untilMs - now().getTime();
      if (lifetimeMs <= 0) return;
      await quietly(() => redis.set(tokenKey(hash), JSON.stringify(remembered), { PX: lifetimeMs }));
    },
    async forget(key) {
      await quietly(() => redis.set(revokedKey(key), '1', { EX: REVOKED_SECONDS }));
    },
  };
}

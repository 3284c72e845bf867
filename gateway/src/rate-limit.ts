import { within } from '@tributary/runtime/deadline.ts';
import { Problem, RateLimitExceeded } from '@tributary/runtime/http/problem.ts';
import type { RateClass } from '@tributary/runtime/http/route.ts';
import type { Logger } from '@tributary/runtime/log.ts';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { FailureLimit } from './authenticate.ts';
import type { Redis } from './redis.ts';

/** So many requests in so many seconds; more are refused until the window ends, or for `blockSeconds`. */
interface Window {
  points: number;
  seconds: number;
  blockSeconds?: number;
}
type Class = Exclude<RateClass, 'unlimited'> | 'elevated' | 'bad_token';

const perEnvironment = (production: number, sandbox: number) => ({ production, sandbox });
const normal = perEnvironment(500, 100);
const restricted = perEnvironment(60, 10);
const perSecond = perEnvironment(100, 50);

/** Domain rules 10.6. Every window of a class counts. */
export const rateClasses = (environment: 'production' | 'sandbox'): Record<Class, readonly Window[]> => ({
  normal: [{ points: normal[environment], seconds: 60 }],
  browser: [{ points: perSecond[environment], seconds: 1 }],
  elevated: [{ points: perSecond[environment], seconds: 1 }],
  restricted: [{ points: restricted[environment], seconds: 60 }],
  portal_license_keys: [{ points: 3, seconds: 1, blockSeconds: 60 }],
  checkout_confirm: [
    { points: 6, seconds: 60, blockSeconds: 1800 },
    { points: 20, seconds: 3600, blockSeconds: 1800 },
  ],
  customer_email: [
    { points: 6, seconds: 60, blockSeconds: 900 },
    { points: 12, seconds: 3600, blockSeconds: 900 },
  ],
  bad_token: [{ points: 60, seconds: 60 }],
});

export interface RateLimits {
  /** Counts a request; throws a 429 with Retry-After when it is one too many. */
  count(rate: RateClass, key: string): Promise<void> | undefined;
  badTokens: FailureLimit;
}

export interface RateLimitOptions {
  environment: 'production' | 'sandbox';
  /** Multiplies the points of every class. */
  factor: number;
  /** Keys of callers that have the elevated limit instead of the normal one. */
  elevated: readonly string[];
  redis?: Redis;
  log: Logger;
}

/** Limits shared through Redis while it answers; otherwise each gateway counts for itself. */
export function rateLimits(options: RateLimitOptions): RateLimits {
  const classes = Object.entries(rateClasses(options.environment)).map(
    ([name, windows]) => [name, windows.map((window) => counterOf(name, window, options))] as const,
  );
  const counters = Object.fromEntries(classes) as Record<Class, Counter[]>;
  const consume = (name: Class, key: string) => consumeAll(counters[name], key);
  const [badToken] = counters.bad_token;
  const elevated = new Set(options.elevated);
  return {
    count(rate, key) {
      if (rate === 'unlimited') return undefined;
      return consume(rate === 'normal' && elevated.has(key) ? 'elevated' : rate, key);
    },
    badTokens: {
      async check(address) {
        const state = await badToken!.get(address);
        if (state && state.remainingPoints <= 0) throw tooMany(state.msBeforeNext);
      },
      count: (address) => badToken!.consume(address).then(() => undefined, ignoreRefusal),
    },
  };
}

interface Counter {
  consume(key: string): Promise<RateLimiterRes>;
  get(key: string): Promise<RateLimiterRes | null>;
}

/** Longest time Redis may take before the gateway counts for itself. */
const REDIS_TIMEOUT_MS = 100;

function counterOf(name: string, window: Window, { factor, redis }: RateLimitOptions): Counter {
  const common = {
    keyPrefix: `tributary:rate:${name}:${window.seconds}`,
    points: window.points * factor,
    duration: window.seconds,
    blockDuration: window.blockSeconds ?? 0,
  };
  const memory = new RateLimiterMemory(common);
  if (!redis) return memory;
  const shared = new RateLimiterRedis({
    ...common,
    storeClient: redis,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    // Who is over the limit is known without asking again.
    inMemoryBlockOnConsumed: common.points + 1,
  });
  return {
    consume: (key) => firstOf(shared.consume(key), () => memory.consume(key)),
    get: (key) =>
      firstOf<RateLimiterRes | null>((shared as RateLimiterAbstract).get(key), () => memory.get(key)),
  };
}

/** What Redis says, a refusal included; what `fallback` says when Redis fails or is slow. */
async function firstOf<T>(asked: Promise<T>, fallback: () => Promise<T>): Promise<T> {
  try {
    return await within(REDIS_TIMEOUT_MS, asked, fallback);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) throw refusal;
    return fallback();
  }
}

async function consumeAll(counters: readonly Counter[], key: string): Promise<void> {
  try {
    for (const counter of counters) await counter.consume(key);
  } catch (refusal) {
    throw refusal instanceof RateLimiterRes ? tooMany(refusal.msBeforeNext) : refusal;
  }
}

function ignoreRefusal(refusal: unknown): void {
  if (!(refusal instanceof RateLimiterRes)) throw refusal;
}

function tooMany(msBeforeNext: number): Problem {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new Problem(RateLimitExceeded, `Too many requests; try again in ${seconds} s.`, {
    'retry-after': String(seconds),
  });
}

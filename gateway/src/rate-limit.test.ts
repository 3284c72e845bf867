import type { RateClass } from '@tributary/runtime/http/route.ts';
import { createLog } from '@tributary/runtime/log.ts';
import { rateLimits } from './rate-limit.ts';

const log = createLog({ service: 'test', level: 'silent' });
const limits = (environment: 'production' | 'sandbox', factor = 1) =>
  rateLimits({ environment, factor, elevated: ['organization:large'], log });

/** How many requests pass before the first is refused, and what the refusal says. */
async function passed(
  rate: RateClass,
  { environment = 'production' as 'production' | 'sandbox', factor = 1, caller = 'someone' } = {},
) {
  const { count } = limits(environment, factor);
  for (let requests = 0; requests < 10_000; requests += 1) {
    try {
      await count(rate, caller);
    } catch (error) {
      return {
        requests,
        refusal: error as { type: { status: number; name: string }; headers: Record<string, string> },
      };
    }
  }
  return { requests: Number.POSITIVE_INFINITY };
}

test.each<[RateClass, 'production' | 'sandbox', number, number]>([
  ['normal', 'production', 500, 60],
  ['normal', 'sandbox', 100, 60],
  ['browser', 'production', 100, 1],
  ['browser', 'sandbox', 50, 1],
  ['restricted', 'production', 60, 60],
  ['restricted', 'sandbox', 10, 60],
  ['portal_license_keys', 'production', 3, 60],
  ['checkout_confirm', 'production', 6, 1800],
  ['customer_email', 'sandbox', 6, 900],
])('%s in %s: %i requests, then 429 for %i s', async (rate, environment, requests, seconds) => {
  const result = await passed(rate, { environment });
  expect(result.requests).toBe(requests);
  expect(result.refusal).toMatchObject({ type: { status: 429, name: 'RateLimitExceeded' } });
  const retryAfter = Number(result.refusal!.headers['retry-after']);
  expect(retryAfter).toBeGreaterThan(seconds - 2);
  expect(retryAfter).toBeLessThanOrEqual(seconds);
});

test('a caller of elevated rank has its limit by the second, where the normal one would count', async () => {
  const caller = 'organization:large';
  const result = await passed('normal', { caller });
  expect([result.requests, result.refusal!.headers['retry-after']]).toEqual([100, '1']);
  expect((await passed('normal', { caller, environment: 'sandbox' })).requests).toBe(50);
  expect((await passed('restricted', { caller })).requests).toBe(60);
});

test('every window of a class counts: 12 mails in an hour even when no minute is full', async () => {
  expect((await passed('customer_email', { factor: 3 })).requests).toBe(18);
  expect((await passed('checkout_confirm', { factor: 2 })).requests).toBe(12);
});

test('a factor multiplies the limit', async () => {
  expect((await passed('restricted', { factor: 10 })).requests).toBe(600);
});

test('callers and classes do not share a limit', async () => {
  const { count } = limits('production');
  for (let request = 0; request < 3; request += 1) await count('portal_license_keys', 'one');
  await expect(count('portal_license_keys', 'one')).rejects.toThrow();
  await expect(count('portal_license_keys', 'other')).resolves.toBeUndefined();
  await expect(count('normal', 'one')).resolves.toBeUndefined();
});

test('an unlimited route is not counted', () => {
  expect(limits('sandbox').count('unlimited', 'one')).toBeUndefined();
});

test('60 refused tokens a minute from one address, then none is looked at', async () => {
  const { badTokens } = limits('production');
  for (let failure = 0; failure < 60; failure += 1) {
    await badTokens.check('10.0.0.1');
    await badTokens.count('10.0.0.1');
  }
  await expect(badTokens.check('10.0.0.1')).rejects.toMatchObject({ type: { status: 429 } });
  await expect(badTokens.check('10.0.0.2')).resolves.toBeUndefined();
});

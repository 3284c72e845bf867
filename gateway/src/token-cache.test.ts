import type { Principal } from '@tributary/proto/principal.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import type { Caller } from './caller.ts';
import { type Introspected, type Remembered, type SharedMemory, tokenCache } from './token-cache.ts';

let nowMs = 0;
beforeEach(() => {
  nowMs = 1_000_000;
});
const now = () => new Date(nowMs);
const toCaller = (principal: Principal): Caller => ({ principal, key: 'key', tokenFor: () => 'jwt' });
const principal = () => organizationToken('00000000-0000-4000-8000-000000000001');
const answering = (found: Introspected | undefined) => {
  const asked = { times: 0 };
  const load = async () => {
    asked.times += 1;
    return found;
  };
  return { asked, load };
};

test('a token is asked about once in 30 seconds', async () => {
  const cache = tokenCache({ toCaller, now });
  const { asked, load } = answering({ principal: principal() });
  await cache.resolve('h', load);
  nowMs += 29_999;
  expect(cache.get('h')).toBeDefined();
  nowMs += 1;
  expect(cache.get('h')).toBeUndefined();
  expect(cache.wasGood('h')).toBe(true);
  expect(asked.times).toBe(1);
});

test('a token is not remembered past its own end', async () => {
  const cache = tokenCache({ toCaller, now });
  const { load } = answering({ principal: principal(), expiresAt: new Date(nowMs + 500) });
  await cache.resolve('h', load);
  expect(cache.get('h')).toBeDefined();
  nowMs += 500;
  expect(cache.get('h')).toBeUndefined();
  expect(await cache.resolve('h', load)).toBeUndefined();
});

test('what is not good is not remembered', async () => {
  const cache = tokenCache({ toCaller, now });
  const { asked, load } = answering(undefined);
  await cache.resolve('h', load);
  await cache.resolve('h', load);
  expect(asked.times).toBe(2);
});

test('requests with one token at one time share the question', async () => {
  const cache = tokenCache({ toCaller, now });
  const { asked, load } = answering({ principal: principal() });
  await Promise.all([cache.resolve('h', load), cache.resolve('h', load), cache.resolve('h', load)]);
  expect(asked.times).toBe(1);
});

test('a failed question is asked again', async () => {
  const cache = tokenCache({ toCaller, now });
  await expect(cache.resolve('h', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.resolve('h', answering({ principal: principal() }).load)).toBeDefined();
});

test.each(['hash', 'id'] as const)('a revoked token is forgotten at once, named by its %s', async (name) => {
  const cache = tokenCache({ toCaller, now });
  const found = principal();
  await cache.resolve('h', answering({ principal: found }).load);
  cache.drop(name === 'hash' ? 'h' : found.token_id);
  expect(cache.get('h')).toBeUndefined();
});

test('an answer from before a revocation is not remembered after it, nor shared with later requests', async () => {
  const cache = tokenCache({ toCaller, now });
  const early = Promise.withResolvers<Introspected>();
  const first = cache.resolve('h', () => early.promise);
  cache.drop('h');
  const second = cache.resolve('h', answering(undefined).load);
  early.resolve({ principal: principal() });
  expect(await first).toBeDefined();
  expect(await second).toBeUndefined();
  expect(cache.get('h')).toBeUndefined();
});

test('10,000 tokens are remembered; the one used longest ago leaves first', async () => {
  const cache = tokenCache({ toCaller, now });
  for (let index = 0; index < 10_000; index += 1) {
    await cache.resolve(`h${index}`, async () => ({ principal: principal() }));
  }
  cache.get('h0');
  await cache.resolve('one more', async () => ({ principal: principal() }));
  expect(cache.get('h0')).toBeDefined();
  expect(cache.get('h1')).toBeUndefined();
  expect(cache.get('one more')).toBeDefined();
});

test('gateways share what one of them learnt, for as long as that one may', async () => {
  const stored = new Map<string, Remembered>();
  const shared: SharedMemory = {
    read: async (hash) => stored.get(hash),
    write: async (hash, remembered) => void stored.set(hash, remembered),
    forget: async (key) => void stored.delete(key),
  };
  const one = tokenCache({ toCaller, now, shared });
  const other = tokenCache({ toCaller, now, shared });
  await one.resolve('h', answering({ principal: principal() }).load);
  nowMs += 20_000;
  const { asked, load } = answering({ principal: principal() });
  expect(await other.resolve('h', load)).toBeDefined();
  expect(asked.times).toBe(0);
  nowMs += 10_000;
  expect(other.get('h')).toBeUndefined();
});

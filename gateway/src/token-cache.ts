import type { Principal } from '@tributary/proto/principal.ts';
import type { Caller } from './caller.ts';

/** What identity said about a token. */
export interface Introspected {
  principal: Principal;
  /** When the token ends; absent for one that does not. */
  expiresAt?: Date;
}

/** Asks identity who is behind a token; undefined for one that is not good. */
export type Introspect = (token: string) => Promise<Introspected | undefined>;

/** A principal as it may be remembered: until when, in ms since the epoch. */
export interface Remembered {
  principal: Principal;
  untilMs: number;
}

/** A memory that several gateways share. Neither method may reject: without it a request just costs more. */
export interface SharedMemory {
  read(hash: string): Promise<Remembered | undefined>;
  write(hash: string, remembered: Remembered): Promise<void>;
  forget(key: string): Promise<void>;
}

export interface TokenCache {
  /** The caller if the token was seen less than 30 s ago. */
  get(hash: string): Caller | undefined;
  /** Whether the token was good when it was last seen, however long ago. */
  wasGood(hash: string): boolean;
  /** The caller from the shared memory or else from `load`; requests with one token at one time share the work. */
  resolve(hash: string, load: () => Promise<Introspected | undefined>): Promise<Caller | undefined>;
  /** Forgets a token at once: named by its SHA-256 or by the `token_id` of its principal. */
  drop(key: string): void;
}

/** Longest time that a revocation which nobody told us of goes unnoticed. */
const LIFETIME_MS = 30_000;
const MAX_TOKENS = 10_000;

export interface TokenCacheOptions {
  toCaller: (principal: Principal) => Caller;
  now: () => Date;
  shared?: SharedMemory;
}

interface Entry {
  caller: Caller;
  untilMs: number;
}

/** Remembers callers by the SHA-256 of their token, the least recently used leave first. */
export function tokenCache({ toCaller, now, shared }: TokenCacheOptions): TokenCache {
  const entries = new Map<string, Entry>();
  const hashes = new Map<string, string>();
  const underWay = new Map<string, Promise<Caller | undefined>>();
  let drops = 0;

  function keep(hash: string, entry: Entry): void {
    forget(hash);
    if (entries.size >= MAX_TOKENS) forget(entries.keys().next().value!);
    entries.set(hash, entry);
    const id = tokenIdOf(entry.caller.principal);
    if (id !== undefined) hashes.set(id, hash);
  }

  function forget(hash: string): void {
    const entry = entries.get(hash);
    if (!entry) return;
    entries.delete(hash);
    const id = tokenIdOf(entry.caller.principal);
    if (id !== undefined) hashes.delete(id);
  }

  async function find(
    hash: string,
    load: () => Promise<Introspected | undefined>,
  ): Promise<Caller | undefined> {
    const dropsBefore = drops;
    const known = await shared?.read(hash);
    const found = known ?? (await ask(load, now));
    if (!found) {
      forget(hash);
      return undefined;
    }
    const caller = toCaller(found.principal);
    // What was learnt before a revocation may be about the token revoked: good for this request, not to be kept.
    if (drops !== dropsBefore) return caller;
    keep(hash, { caller, untilMs: found.untilMs });
    if (!known) void shared?.write(hash, found);
    return caller;
  }

  return {
    get(hash) {
      const entry = entries.get(hash);
      if (entry === undefined || entry.untilMs <= now().getTime()) return undefined;
      entries.delete(hash);
      entries.set(hash, entry);
      return entry.caller;
    },
    wasGood: (hash) => entries.has(hash),
    resolve(hash, load) {
      const running = underWay.get(hash);
      if (running) return running;
      const work = find(hash, load).finally(() => {
        if (underWay.get(hash) === work) underWay.delete(hash);
      });
      underWay.set(hash, work);
      return work;
    },
    drop(key) {
      drops += 1;
      underWay.clear();
      forget(hashes.get(key) ?? key);
      void shared?.forget(key);
    },
  };
}

async function ask(
  load: () => Promise<Introspected | undefined>,
  now: () => Date,
): Promise<Remembered | undefined> {
  const askedAtMs = now().getTime();
  const found = await load();
  if (!found) return undefined;
  const endsAtMs = found.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return endsAtMs <= askedAtMs
    ? undefined
    : { principal: found.principal, untilMs: Math.min(askedAtMs + LIFETIME_MS, endsAtMs) };
}

const tokenIdOf = (principal: Principal): string | undefined =>
  principal.kind === 'anonymous' ? undefined : principal.token_id;

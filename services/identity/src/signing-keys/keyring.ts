import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Database } from '@tributary/runtime/db/transaction.ts';
import { type JWK, SignJWT } from 'jose';
import { unseal } from '../sealing/seal.ts';
import { type StoredKey, signingKeyAt } from './signing-key.ts';
import { ensureKeys, privateKeySeal } from './store.ts';

export const SIGNING_ALGORITHM = 'RS256';
/** Long before a key that another process made begins to sign. */
const REREAD_AFTER_MS = 60_000;

/** The keys that sign id tokens, kept in memory for a minute. */
export interface Keyring {
  /** Public keys of all signatures that may still be good (RFC 7517). */
  publicKeys(now: Date): Promise<JWK[]>;
  /** A JSON Web Token with these claims. */
  sign(claims: Record<string, unknown>, now: Date): Promise<string>;
}

export function keyring(db: Database, secret: string): Keyring {
  const privateKeys = new Map<string, KeyObject>();
  let kept: { keys: StoredKey[]; readAt: number } | undefined;

  async function keysAt(now: Date): Promise<StoredKey[]> {
    if (!kept || Math.abs(now.getTime() - kept.readAt) > REREAD_AFTER_MS) {
      kept = { keys: await ensureKeys(db, secret, now), readAt: now.getTime() };
    }
    return kept.keys;
  }

  function privateKeyOf({ kid, sealed_private_key }: StoredKey): KeyObject {
    const known = privateKeys.get(kid);
    if (known) return known;
    const key = createPrivateKey(unseal(sealed_private_key, privateKeySeal(secret)));
    privateKeys.set(kid, key);
    return key;
  }

  return {
    publicKeys: async (now) => (await keysAt(now)).map((key) => key.public_jwk),
    async sign(claims, now) {
      const key = signingKeyAt(await keysAt(now), now);
      if (!key) throw new Error('no key signs at this time');
      return new SignJWT(claims)
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: key.kid, typ: 'JWT' })
        .sign(privateKeyOf(key));
    },
  };
}

import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { type Database, inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { type Seal, seal } from '../sealing/seal.ts';
import { firstSignature, isRotationDue, retiredKeys, type StoredKey } from './signing-key.ts';

const KEYS_LOCK = 7_411_931;
const MODULUS_BITS = 2048;
const generate = promisify(generateKeyPair);

export const privateKeySeal = (secret: string): Seal => ({
  key: secret,
  salt: 'tributary',
  purpose: 'private signing key',
});

export const readKeys = (db: Pick<Tx, 'query'>): Promise<StoredKey[]> =>
  db.query('select * from signing_keys order by signs_from');

/** The keys, the first of them made now if there are none; processes that ask at once agree on one. */
export async function ensureKeys(db: Database, secret: string, now: Date): Promise<StoredKey[]> {
  const keys = await readKeys(db);
  if (keys.length > 0) return keys;
  return withKeysLocked(db, async (tx, current) =>
    current.length > 0 ? current : [await insertKey(tx, secret, { now, signsFrom: now })],
  );
}

/** Makes the next key when the newest is old, and forgets keys that nothing valid was signed with. */
export async function rotateKeys(db: Database, secret: string, now: Date): Promise<void> {
  await withKeysLocked(db, async (tx, keys) => {
    if (keys.length > 0 && isRotationDue(keys, now)) {
      await insertKey(tx, secret, { now, signsFrom: firstSignature(now) });
    }
    const retired = retiredKeys(keys, now).map((key) => key.kid);
    if (retired.length > 0) await tx.query('delete from signing_keys where kid = any($1)', [retired]);
  });
}

const withKeysLocked = <T>(db: Database, work: (tx: Tx, keys: StoredKey[]) => Promise<T>): Promise<T> =>
  inTransaction(db, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [KEYS_LOCK]);
    return work(tx, await readKeys(tx));
  });

async function insertKey(tx: Tx, secret: string, times: { now: Date; signsFrom: Date }): Promise<StoredKey> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: MODULUS_BITS });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const key: StoredKey = {
    kid,
    created_at: times.now,
    signs_from: times.signsFrom,
    public_jwk: { ...jwk, kid, use: 'sig', alg: 'RS256' },
    sealed_private_key: seal(
      privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      privateKeySeal(secret),
    ),
  };
  await tx.query(
    `insert into signing_keys (kid, created_at, signs_from, public_jwk, sealed_private_key)
     values ($1, $2, $3, $4, $5)`,
    [key.kid, key.created_at, key.signs_from, JSON.stringify(key.public_jwk), key.sealed_private_key],
  );
  return key;
}

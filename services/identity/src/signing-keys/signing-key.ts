import type { JWK } from 'jose';

/** A key pair that signs id tokens. Its public half is served before it signs and after it stops. */
export interface StoredKey {
  kid: string;
  created_at: Date;
  signs_from: Date;
  public_jwk: JWK;
  sealed_private_key: string;
}

const DAY_MS = 86_400_000;
const ROTATE_AFTER_MS = 90 * DAY_MS;
/** Longer than clients keep the key set, and than an id token lives. */
const OVERLAP_MS = DAY_MS;

/** The key that signs now: the one that began last. */
export const signingKeyAt = <K extends Pick<StoredKey, 'signs_from'>>(
  keys: readonly K[],
  now: Date,
): K | undefined =>
  keys
    .filter((key) => key.signs_from <= now)
    .toSorted((a, b) => b.signs_from.getTime() - a.signs_from.getTime())[0];

/** Whether the next key should be made, to be served for a while before it signs. */
export const isRotationDue = (keys: readonly Pick<StoredKey, 'created_at'>[], now: Date): boolean =>
  keys.every((key) => now.getTime() - key.created_at.getTime() >= ROTATE_AFTER_MS);

export const firstSignature = (now: Date): Date => new Date(now.getTime() + OVERLAP_MS);

/** Keys whose successor has signed for so long that nothing they signed is still good. */
export function retiredKeys<K extends Pick<StoredKey, 'signs_from'>>(keys: readonly K[], now: Date): K[] {
  const current = signingKeyAt(keys, now);
  if (!current || now.getTime() - current.signs_from.getTime() < OVERLAP_MS) return [];
  return keys.filter((key) => key.signs_from < current.signs_from);
}

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>;

/** OWASP's parameters for 32 MiB of memory. Stored with each hash, so that they can grow. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const LENGTH = 32;
const MAX_MEMORY = 128 * 1024 * 1024;

/** What is stored in place of a password: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(normalize(password), salt, LENGTH, { ...COST, maxmem: MAX_MEMORY });
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** A hash that no password has: checking against it takes the time of a real one. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Whether the password is the one hashed. Takes as long for a user who has none, or who does not exist. */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, N, r, p, salt, expected] = (stored ?? NOBODY).split('$');
  const key = Buffer.from(expected!, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const given = await derive(normalize(password), Buffer.from(salt!, 'base64url'), key.length, cost);
  return timingSafeEqual(given, key) && stored != null;
}

/** The same characters typed on different systems are the same password (RFC 8265, OpaqueString). */
const normalize = (password: string): string => password.normalize('NFC');

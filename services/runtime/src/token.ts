import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 37;
const CHECKSUM_LENGTH = 6;
/** The largest multiple of 62 in a byte; greater bytes are thrown away, so that every character is equally likely. */
const FAIR_BYTES = 248;
const SHAPE = new RegExp(
  `^([a-z]+_(?:[a-z]+_)*)([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);
const MAX_LENGTH = 100;

/**
 * A new opaque token: the prefix, 37 random alphanumerics (220 bits) and their CRC-32 in six base-62 digits, so that
 * a mistyped or cut token is known as such without a look-up.
 * @param prefix lower-case words that each end in an underscore
 */
export function mintToken(prefix: string): string {
  const random = randomAlphanumerics(RANDOM_LENGTH);
  const token = prefix + random + checksum(random);
  if (!SHAPE.test(token)) throw new RangeError(`"${prefix}" is no token prefix`);
  return token;
}

/** The prefix of a token whose shape and checksum are right; undefined for anything else. */
export function prefixOfToken(token: string): string | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  const parts = SHAPE.exec(token);
  return parts !== null && checksum(parts[2]!) === parts[3] ? parts[1] : undefined;
}

/** Whether the text has a token's shape and checksum, and the prefix if one is given. */
export function isWellFormedToken(token: string, prefix?: string): boolean {
  const found = prefixOfToken(token);
  return found !== undefined && (prefix === undefined || prefix === found);
}

/** What is stored in place of a token: HMAC-SHA256 under the service's secret, 64 hexadecimal digits. */
export const hashToken = (token: string, secret: string): string =>
  createHmac('sha256', secret).update(token).digest('hex');

/** Whether two secrets are the same text; the time taken tells nothing of where they differ. */
export function isSameSecret(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** `length` random characters of 0-9, A-Z and a-z, each equally likely. */
export function randomAlphanumerics(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < FAIR_BYTES && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What a text is sealed with: something secret, the service's own secret, and what for. */
export interface Seal {
  key: string;
  salt: string;
  purpose: string;
}

const keyOf = ({ key, salt, purpose }: Seal) => Buffer.from(hkdfSync('sha256', key, salt, purpose, 32));

/** The text, readable only with the same seal: AES-256-GCM under a key derived by HKDF (RFC 5869). */
export function seal(text: string, by: Seal): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(by), iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** @throws Error when the seal is another or the sealed text was changed */
export function unseal(sealed: string, by: Seal): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(by), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const body = bytes.subarray(IV_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

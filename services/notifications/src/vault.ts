import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps secrets that must be readable again, such that the database alone does not give them away. */
export interface Vault {
  /** @param owner id of the record the secret belongs to; the sealed text opens for no other */
  seal(secret: string, owner: string): string;
  /** @throws Error when the text was sealed under another key or for another owner, or was changed */
  open(sealed: string, owner: string): string;
}

const CIPHER = 'aes-256-gcm';
/** Leads every sealed text, so that a later way of sealing can be told apart. */
const VERSION = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param secret what the key is derived from */
export function createVault(secret: string): Vault {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'tributary webhook secrets', 32));
  return {
    seal(text, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(text, owner) {
      if (!text.startsWith(VERSION)) throw new Error('a sealed secret is of an unknown version');
      const bytes = Buffer.from(text.slice(VERSION.length), 'base64url');
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return (
        decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    },
  };
}

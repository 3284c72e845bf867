import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** What is replayed under an idempotency key. */
export interface Answer {
  body: unknown;
  headers: Record<string, string>;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What stands for an idempotency key in the database: the key itself opens the answer and is not kept. */
export const keyHash = (key: string): string => hash('sha256', key, 'base64');

/**
 * Seals an answer with the idempotency key it is kept under (HKDF, AES-256-GCM): answers may hold a token's only
 * copy, and the database keeps secrets as hashes.
 */
export function sealAnswer(answer: Answer, key: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, sealingKey(key), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Opens what `sealAnswer` sealed. @throws Error when the key is another one or the bytes were changed */
export function openAnswer(bytes: Buffer, key: string): Answer {
  const decipher = createDecipheriv(ALGORITHM, sealingKey(key), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(opened.toString()) as Answer;
}

const sealingKey = (key: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', 'idempotent answer', 32));

import { randomInt } from 'node:crypto';

/** A code that lets its reader in: proof that the address is theirs. */
export interface LoginCode {
  email: string;
  code_hash: string;
  attempts: number;
  sent_at: Date;
  expires_at: Date;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const LENGTH = 6;
const SHAPE = /^[A-Z0-9]{6}$/;
const MINUTE_MS = 60_000;
export const CODE_MINUTES = 30;
/** Of 36^6 codes; a guesser also meets the gateway's limits. */
const MAX_ATTEMPTS = 5;

export const makeCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** A code as people type it: spaces and lower case do not matter. Undefined when it can be none. */
export function readCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase();
  return SHAPE.test(code) ? code : undefined;
}

export const codeEnd = (now: Date): Date => new Date(now.getTime() + CODE_MINUTES * MINUTE_MS);

/** Whether another code may be sent: one a minute for an address. */
export const isSendable = (last: LoginCode | undefined, now: Date): boolean =>
  last === undefined || now.getTime() - last.sent_at.getTime() >= MINUTE_MS;

/** Whether the code can still be guessed at. */
export const isOpen = (code: LoginCode, now: Date): boolean =>
  code.expires_at > now && code.attempts < MAX_ATTEMPTS;

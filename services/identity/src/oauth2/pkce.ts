import { hash } from 'node:crypto';
import { isSameSecret } from '@tributary/runtime/token.ts';

export const challengeMethods = ['S256', 'plain'] as const;
export type ChallengeMethod = (typeof challengeMethods)[number];

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Whether the text can be a code challenge or verifier (RFC 7636, 4.1 and 4.2). */
export const isVerifier = (text: string): boolean => VERIFIER.test(text);

/** Whether the verifier is the one the challenge was made of. */
export function isProof(verifier: string, challenge: string, method: ChallengeMethod): boolean {
  if (!isVerifier(verifier)) return false;
  return isSameSecret(method === 'plain' ? verifier : hash('sha256', verifier, 'base64url'), challenge);
}

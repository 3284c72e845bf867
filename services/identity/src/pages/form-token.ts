import { hashToken, isSameSecret, randomAlphanumerics } from '@tributary/runtime/token.ts';
import { type CookieOptions, readCookie, setCookie } from './cookies.ts';

/**
 * Proof that a form comes from a page of ours. Logged in it is bound to the session; before that to a random cookie
 * which another site can neither read nor set.
 */
const COOKIE = 'tributary_form';
const DAY_SECONDS = 86_400;
const SHAPE = /^[0-9A-Za-z]{32}$/;

/** Makes the hidden field of a form. @param purpose what the form does, so that no form stands for another */
export const formToken = (owner: string, purpose: string, secret: string): string =>
  hashToken(`form ${purpose} ${owner}`, secret);

export const isFormToken = (given: string, owner: string, purpose: string, secret: string): boolean =>
  isSameSecret(given, formToken(owner, purpose, secret));

/** The browser's random cookie, if it has one. */
export function visitorOf(cookieHeader: string | undefined): string | undefined {
  const value = readCookie(cookieHeader, COOKIE);
  return value !== undefined && SHAPE.test(value) ? value : undefined;
}

/** The browser's random cookie, a new one if it has none, and the header that sets it. */
export function ensureVisitor(
  cookieHeader: string | undefined,
  isSecure: CookieOptions['isSecure'],
): { visitor: string; headers: Record<string, string> } {
  const visitor = visitorOf(cookieHeader) ?? randomAlphanumerics(32);
  return {
    visitor,
    headers: { 'set-cookie': setCookie(COOKIE, visitor, { maxAge: DAY_SECONDS, isSecure }) },
  };
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '@tributary/proto/principal.ts';
import { hashToken, isWellFormedToken } from '@tributary/runtime/token.ts';
import type { App } from '../app.ts';
import { readCookie, setCookie } from '../pages/cookies.ts';
import { findUserSession, findUserSessionById } from './store.ts';
import { SESSION_DAYS, SESSION_PREFIX, type UserSession } from './user-session.ts';

const COOKIE = 'tributary_session';

export const isSecure = (app: App): boolean => app.publicUrl.startsWith('https:');

/** The login of the browser that sends a request. */
export async function browserSession(
  app: App,
  headers: IncomingHttpHeaders,
  now: Date,
): Promise<UserSession | undefined> {
  const token = readCookie(headers.cookie, COOKIE);
  if (token === undefined || !isWellFormedToken(token, SESSION_PREFIX)) return undefined;
  return findUserSession(app.db, hashToken(token, app.tokenSecret), now);
}

/** The login whose token came as a bearer token: a page of ours that keeps it itself. */
export async function bearerSession(
  app: App,
  principal: Principal,
  now: Date,
): Promise<UserSession | undefined> {
  if (principal.kind !== 'user' || principal.scheme !== 'oidc' || principal.client_id !== null)
    return undefined;
  return findUserSessionById(app.db, principal.token_id, now);
}

export const loginCookie = (app: App, token: string): Record<string, string> => ({
  'set-cookie': setCookie(COOKIE, token, { maxAge: SESSION_DAYS * 86_400, isSecure: isSecure(app) }),
});

export const logoutCookie = (app: App): Record<string, string> => ({
  'set-cookie': setCookie(COOKIE, '', { maxAge: 0, isSecure: isSecure(app) }),
});

import { hash } from 'node:crypto';
import { REALM } from '@tributary/runtime/http/authorize.ts';
import { Problem, Unauthorized } from '@tributary/runtime/http/problem.ts';
import { prefixOfToken } from '@tributary/runtime/token.ts';
import { type Caller, type CallerOptions, callerOf } from './caller.ts';
import type { GatewayRoute } from './route-table.ts';
import type { Introspect, TokenCache } from './token-cache.ts';

/** Guards against guessing: counts refused tokens by address. */
export interface FailureLimit {
  /** Throws a 429 while the address has had too many tokens refused. */
  check(address: string): Promise<void>;
  count(address: string): Promise<void>;
}

export interface AuthenticatorOptions extends CallerOptions {
  introspect: Introspect;
  cache: TokenCache;
  failures: FailureLimit;
}

/** Who is calling; throws 401 for a bad token, 429 for too many of them. */
export type Authenticate = (
  authorization: string | undefined,
  address: string,
  route: GatewayRoute,
) => Caller | Promise<Caller>;

const BEARER = /^bearer(?: +(.*))?$/i;
/** Client registration tokens (RFC 7592) authenticate at the route itself and name no caller. */
const REGISTRATION_TOKEN = 'trb_crt_';

/** Turns the Authorization header into a caller. Other schemes than Bearer are no credentials. */
export function authenticator(options: AuthenticatorOptions): Authenticate {
  const { cache, introspect, failures } = options;
  const anonymous = callerOf({ kind: 'anonymous' }, options);

  async function look(token: string, digest: string, address: string): Promise<Caller> {
    if (!cache.wasGood(digest)) await failures.check(address);
    const caller = await cache.resolve(digest, () => introspect(token));
    if (caller) return caller;
    await failures.count(address);
    throw badToken();
  }

  async function refuseMalformed(address: string): Promise<never> {
    await failures.check(address);
    await failures.count(address);
    throw badToken();
  }

  return (authorization, address, route) => {
    if (authorization === undefined) return anonymous;
    const bearer = BEARER.exec(authorization);
    if (!bearer) return anonymous;
    const token = bearer[1] ?? '';
    const digest = hash('sha256', token, 'base64');
    const known = cache.get(digest);
    if (known) return known;
    const prefix = prefixOfToken(token);
    if (prefix === undefined) return refuseMalformed(address);
    if (prefix === REGISTRATION_TOKEN && route.access.schemes.length === 0) return anonymous;
    return look(token, digest, address);
  };
}

/** Whether the service needs the Authorization header itself: a client's secret or its registration token. */
export const isForService = (authorization: string): boolean =>
  !BEARER.test(authorization) || /^bearer +trb_crt_/i.test(authorization);

function badToken(): Problem {
  const description = 'The access token is malformed, unknown, expired or revoked';
  return new Problem(Unauthorized, description, {
    'www-authenticate': `Bearer realm="${REALM}", error="invalid_token", error_description="${description}"`,
  });
}

import { hash } from 'node:crypto';
import { Principal } from '@tributary/proto/principal.ts';
import { jwtVerify, SignJWT } from 'jose';
import { Problem, Unauthorized } from './problem.ts';

export const INTERNAL_TOKEN_HEADER = 'x-tributary-principal';
export const INTERNAL_TOKEN_SECONDS = 300;
const CACHE_ENTRIES = 10_000;

const key = (secret: string) => new TextEncoder().encode(secret);

/**
 * Signs the caller's identity for one service: HS256, valid five minutes (RFC 7519).
 * @param audience name of the service the token is for
 */
export function signPrincipal(
  principal: Principal,
  audience: string,
  secret: string,
  now: Date,
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT({ principal })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('gateway')
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + INTERNAL_TOKEN_SECONDS)
    .sign(key(secret));
}

/**
 * Verifies tokens made by `signPrincipal`. A token seen before costs one hash: its verification is kept, by the
 * token's SHA-256, until it expires.
 */
export function principalVerifier(audience: string, secret: string, now: () => Date) {
  const seen = new Map<string, { principal: Principal; expiresAtMs: number }>();
  return async (token: string | undefined): Promise<Principal> => {
    if (!token) throw new Problem(Unauthorized, 'Requests reach this service through the gateway.');
    const digest = hash('sha256', token, 'base64');
    const known = seen.get(digest);
    if (known && known.expiresAtMs > now().getTime()) return known.principal;
    const { payload } = await jwtVerify(token, key(secret), {
      audience,
      issuer: 'gateway',
      algorithms: ['HS256'],
      currentDate: now(),
    }).catch(() => {
      throw new Problem(Unauthorized, 'The internal token is not valid.');
    });
    const { data: principal } = Principal.safeParse(payload.principal);
    if (!principal) throw new Problem(Unauthorized, 'The internal token names nobody.');
    if (seen.size >= CACHE_ENTRIES) seen.delete(seen.keys().next().value!);
    seen.set(digest, { principal, expiresAtMs: payload.exp! * 1000 });
    return principal;
  };
}

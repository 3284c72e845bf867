import type { Access } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { InsufficientScope, Problem, Unauthorized } from './problem.ts';

export const REALM = 'tributary';

/**
 * Lets a caller through to a route or refuses (domain rules 10.3): 401 without credentials or with a kind of token
 * the route does not take, 403 when the token holds none of the scopes. A route without schemes takes everybody.
 */
export function authorize(access: Access, principal: Principal): void {
  if (access.schemes.length === 0) return;
  if (principal.kind === 'anonymous' || !access.schemes.includes(principal.scheme)) {
    throw new Problem(Unauthorized, 'Not authenticated', { 'www-authenticate': `Bearer realm="${REALM}"` });
  }
  if (access.scopes.length === 0 || access.scopes.some((scope) => principal.scopes.includes(scope))) return;
  const needed = access.scopes.join(' ');
  throw new Problem(InsufficientScope, `The token needs one of these scopes: ${needed}`, {
    'www-authenticate': `Bearer realm="${REALM}", error="insufficient_scope", scope="${needed}"`,
  });
}

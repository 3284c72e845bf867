import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import type { GatewayRoute } from './route-table.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ALLOWED = ['Authorization', 'Content-Type', 'Idempotency-Key', 'Tributary-Version', 'X-Request-Id'];
const EXPOSED = [
  'Content-Disposition',
  'Deprecation',
  'Retry-After',
  'Tributary-Version',
  'WWW-Authenticate',
  'X-Request-Id',
];
const MAX_AGE_SECONDS = 7_200;

/** Whether browsers may call the route from any page: it needs no credentials, or those of one customer. */
export const isOpen = (route: GatewayRoute): boolean =>
  route.access.schemes.every((scheme) => scheme === 'customer_session' || scheme === 'member_session');

export interface CrossOrigin {
  /** Adds the CORS headers (https://fetch.spec.whatwg.org/#http-cors-protocol) for the request's Origin. */
  allow(request: IncomingMessage, response: ServerResponse, open: boolean): void;
}

/**
 * Any page may call what customers' browsers call; merchant operations only pages of the configured origins, because
 * an organization's token does not belong in a page. Cookies are never allowed across origins.
 */
export function crossOrigin(origins: readonly string[]): CrossOrigin {
  const shared = {
    methods: METHODS,
    allowedHeaders: ALLOWED,
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_SECONDS,
    preflightContinue: true,
  };
  const anywhere = cors({ ...shared, origin: '*' });
  const configured = cors({ ...shared, origin: [...origins] });
  return {
    allow: (request, response, open) => (open ? anywhere : configured)(request, response, () => undefined),
  };
}

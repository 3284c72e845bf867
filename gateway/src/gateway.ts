import type { IncomingMessage, ServerResponse } from 'node:http';
import { authorize } from '@tributary/runtime/http/authorize.ts';
import { Problem, problemType } from '@tributary/runtime/http/problem.ts';
import type { Logger } from '@tributary/runtime/log.ts';
import type { AccessLog } from './access-log.ts';
import type { Authenticate } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { addressGroup, clientAddress } from './client-address.ts';
import { type CrossOrigin, isOpen } from './cors.ts';
import { answer, answerEmpty, type Exchange, refuse, requestId } from './exchange.ts';
import type { ReverseProxy } from './proxy.ts';
import type { RateLimits } from './rate-limit.ts';
import { checkDeclaredLength } from './request-body.ts';
import type { Matcher } from './route-match.ts';
import type { GatewayRoute } from './route-table.ts';
import type { StandingHeaders } from './security-headers.ts';
import { DEPRECATION, isOldPrefix, requestedRelease, VERSION_HEADER, withoutOldPrefix } from './version.ts';

/** What a request passes on its way to a service, in this order where it matters. */
export interface GatewayParts {
  matcher: Matcher;
  headers: StandingHeaders;
  crossOrigin: CrossOrigin;
  authenticate: Authenticate;
  /** Has the caller asked for anew with its next request. */
  forget: (caller: Caller) => void;
  limits: RateLimits;
  proxy: ReverseProxy;
  /** Answers what is no service's: documents, health, and 404 for the rest. */
  pages: (exchange: Exchange) => void;
  trustedProxies: number;
  accessLog: AccessLog;
  log: Logger;
}

const MethodNotAllowed = problemType('MethodNotAllowed', 405);

/** The function that answers every request. */
export function gateway(parts: GatewayParts): (request: IncomingMessage, response: ServerResponse) => void {
  const { matcher, accessLog, log } = parts;
  return (request, response) => {
    const exchange = begin(request, response, parts);
    response.once('close', () => accessLog.record(exchange));
    try {
      const [path, query] = split(request, exchange);
      const found = matcher.match(request.method!, path);
      if (found.kind === 'route') {
        serve(exchange, found.route, parts).catch((error: unknown) => refuse(exchange, error, log));
      } else if (found.kind === 'none') {
        parts.pages(exchange);
      } else if (request.method === 'OPTIONS') {
        preflight(exchange, path, parts);
      } else if (found.kind === 'redirect') {
        const prefix = exchange.headers.deprecation === undefined ? '' : '/api';
        answerEmpty(exchange, 307, { location: prefix + found.path + query });
      } else {
        throw new Problem(MethodNotAllowed, 'Method Not Allowed', { allow: found.allowed.join(', ') });
      }
    } catch (error) {
      refuse(exchange, error, log);
    }
  };
}

function begin(request: IncomingMessage, response: ServerResponse, parts: GatewayParts): Exchange {
  const id = requestId(request);
  const address = clientAddress(request, parts.trustedProxies);
  return {
    request,
    response,
    id,
    address,
    startedAt: performance.now(),
    headers: { ...parts.headers.open, 'x-request-id': id },
  };
}

/** Path and query of the target; one with the old prefix is from here on the same without it. */
function split(request: IncomingMessage, exchange: Exchange): [path: string, query: string] {
  if (isOldPrefix(request.url!)) {
    request.url = withoutOldPrefix(request.url!);
    exchange.headers.deprecation = DEPRECATION;
  }
  const target = request.url!;
  const start = target.indexOf('?');
  return start < 0 ? [target, ''] : [target.slice(0, start), target.slice(start)];
}

async function serve(exchange: Exchange, route: GatewayRoute, parts: GatewayParts): Promise<void> {
  const { request, response } = exchange;
  const { authenticate, crossOrigin, forget, limits, proxy } = parts;
  exchange.route = route;
  const open = isOpen(route);
  if (!open) Object.assign(exchange.headers, parts.headers.merchant);
  if (request.headers.origin !== undefined) crossOrigin.allow(request, response, open);
  const release = requestedRelease(request.headers[VERSION_HEADER]);
  if (release === undefined) return answer(exchange, 404, { detail: 'Not Found' });
  exchange.headers[VERSION_HEADER] = release;
  const group = addressGroup(exchange.address);
  const authenticated = authenticate(request.headers.authorization, group, route);
  const caller = authenticated instanceof Promise ? await authenticated : authenticated;
  exchange.caller = caller;
  if (route.changesReach) exchange.onSuccess = () => forget(caller);
  await limits.count(route.rate, caller.principal.kind === 'anonymous' ? group : caller.key);
  authorize(route.access, caller.principal);
  checkDeclaredLength(request, route.upload);
  const token = caller.tokenFor(route.service);
  proxy.forward(exchange, typeof token === 'string' ? token : await token, release);
}

/** Answers OPTIONS: whether a page may make the request it asks about, and which methods there are. */
function preflight(exchange: Exchange, path: string, { matcher, crossOrigin, headers }: GatewayParts): void {
  const { request, response } = exchange;
  const wanted = request.headers['access-control-request-method'] ?? 'GET';
  const found = matcher.match(wanted, path);
  if (request.headers.origin !== undefined && found.kind === 'route') {
    const open = isOpen(found.route);
    if (!open) Object.assign(exchange.headers, headers.merchant);
    crossOrigin.allow(request, response, open);
  }
  answerEmpty(exchange, 204, { allow: ['OPTIONS', ...matcher.methodsOf(path)].join(', ') });
}

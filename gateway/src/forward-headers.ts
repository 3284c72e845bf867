import type { IncomingHttpHeaders } from 'node:http';
import { INTERNAL_TOKEN_HEADER } from '@tributary/runtime/http/internal-token.ts';
import { currentTraceparent } from '@tributary/runtime/telemetry.ts';
import { isForService } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { VERSION_HEADER } from './version.ts';

/** Headers about one connection (RFC 9110, 7.6.1): they end here. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);
/** Headers that say who the client is or how it came here. Only the gateway says that. */
const CLAIMS = new Set([
  'authorization',
  'expect',
  'forwarded',
  'host',
  'x-real-ip',
  'x-request-id',
  VERSION_HEADER,
]);

export interface Forwarding {
  /** `host:port` of the service. */
  host: string;
  internalToken: string;
  release: string;
  trustsProxies: boolean;
}

/** The headers a service is sent: the client's own, without claims only the gateway may make, and with the gateway's. */
export function forwardHeaders(exchange: Exchange, forwarding: Forwarding): IncomingHttpHeaders {
  const incoming = exchange.request.headers;
  const headers: IncomingHttpHeaders = {};
  const named = namedByConnection(incoming.connection);
  for (const name in incoming) {
    if (HOP_BY_HOP.has(name) || CLAIMS.has(name)) continue;
    if (name.startsWith('x-tributary-') || name.startsWith('x-forwarded-') || named?.has(name)) continue;
    headers[name] = incoming[name];
  }
  const { authorization } = incoming;
  if (authorization !== undefined && isForService(authorization)) headers.authorization = authorization;
  const traceparent = currentTraceparent();
  if (traceparent !== null) headers.traceparent = traceparent;
  headers.host = forwarding.host;
  headers['x-request-id'] = exchange.id;
  headers['x-forwarded-for'] = exchange.address;
  headers['x-forwarded-proto'] = protocolOf(exchange, forwarding.trustsProxies);
  headers['x-forwarded-host'] = hostOf(exchange, forwarding.trustsProxies);
  headers[VERSION_HEADER] = forwarding.release;
  headers[INTERNAL_TOKEN_HEADER] = forwarding.internalToken;
  return headers;
}

/** A client may name further headers of its connection, but not make the length of its body one of them. */
function namedByConnection(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  const names = new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  names.delete('content-length');
  names.delete('transfer-encoding');
  return names;
}

function protocolOf({ request }: Exchange, trustsProxies: boolean): string {
  const told = trustsProxies ? request.headers['x-forwarded-proto'] : undefined;
  return told === 'https' ? 'https' : 'http';
}

function hostOf({ request }: Exchange, trustsProxies: boolean): string {
  const told = trustsProxies ? request.headers['x-forwarded-host'] : undefined;
  return (typeof told === 'string' ? told : request.headers.host) ?? '';
}

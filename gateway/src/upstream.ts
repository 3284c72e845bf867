import { Problem, problemType } from '@tributary/runtime/http/problem.ts';

/** Where a service listens, in the form that needs no parsing per request. */
export interface Target {
  protocol: 'http:';
  hostname: string;
  /** With the port. */
  host: string;
  port: string;
}

/** @throws Error for another scheme than http: services are reached on a private network */
export function targetOf(url: string): Target {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:') throw new Error(`services are reached by http, not ${protocol}`);
  const bare = hostname.replace(/^\[|\]$/g, '');
  return { protocol, hostname: bare, host: `${hostname}:${port || 80}`, port: port || '80' };
}

/** Connections to each service; further requests wait for one. */
export const MAX_CONNECTIONS = 256;
/** Longest silence of a service. */
export const SILENCE_MS = 60_000;

const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const SILENT = new Set(['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN_OFF = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const NAME = 'ServiceUnavailable';
const notReached = problemType(NAME, 503);
const silent = problemType(NAME, 504);
const brokenOff = problemType(NAME, 502);

/** The answer for a service that gave none: 503 not reached, 504 silent, 502 broken off or not understood. */
export function unavailable(error: NodeJS.ErrnoException): Problem {
  const type = SILENT.has(error.code ?? '') ? silent : isNotReached(error) ? notReached : brokenOff;
  return new Problem(type, 'The service is not available. Try again shortly.', { 'retry-after': '1' });
}

/** Whether there was no connection, so that nothing was sent. */
export const isNotReached = ({ code = '' }: NodeJS.ErrnoException): boolean => NOT_REACHED.has(code);

/** Whether the connection ended, as one kept open does when the service closes it just as it is used. */
export const isBrokenOff = ({ code = '' }: NodeJS.ErrnoException): boolean => BROKEN_OFF.has(code);

/** The answer when more requests are under way than can be served. */
export const overloaded = (): Problem =>
  new Problem(notReached, 'Too many requests are under way. Try again shortly.', { 'retry-after': '1' });

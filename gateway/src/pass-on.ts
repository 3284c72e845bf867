import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from './exchange.ts';
import { HOP_BY_HOP } from './forward-headers.ts';
import { VERSION_HEADER } from './version.ts';

/** What only the gateway says, whatever a service answers. */
const OURS = new Set(['transfer-encoding', 'x-request-id', VERSION_HEADER]);

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Starts the answer with the service's status and headers, and with the gateway's where the service says nothing. */
export function passOnHead(exchange: Exchange, status: number, given: IncomingHttpHeaders): void {
  const { response, headers } = exchange;
  if (isSuccess(status)) exchange.onSuccess?.();
  const merged: Record<string, string | string[]> = headers;
  for (const name in given) {
    if (HOP_BY_HOP.has(name) || OURS.has(name)) continue;
    merged[name] = name === 'vary' && headers.vary ? `${headers.vary}, ${given.vary}` : given[name]!;
  }
  response.writeHead(status, merged);
}

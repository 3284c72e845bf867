import type { Logger } from '@tributary/runtime/log.ts';
import { countRequest } from '@tributary/runtime/metrics.ts';
import { type DestinationStream, symbols } from 'pino';
import type { Exchange } from './exchange.ts';

export interface AccessLog {
  /** One line and one sample for a request whose answer is out. */
  record(exchange: Exchange): void;
  /** Writes what is waiting. */
  flush(): void;
}

/** A client that went away before its answer was complete, as nginx counts it. */
const CLIENT_CLOSED = 499;
const NO_ROUTE = 'unmatched';
const MAX_WAITING_CHARACTERS = 16 * 1024;
const MAX_WAIT_MS = 200;

/**
 * Records the end of every request. Both line and sample name the route and not the path: a path may hold a
 * checkout's secret, and there are more paths than can be counted.
 *
 * The lines have the log's form but go past its redaction, and several at a time: they hold no text of the client's
 * that is not checked, and one by one they would cost a quarter of all the gateway does.
 */
export function accessLog(log: Logger): AccessLog {
  const stream = (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym]!;
  const service = JSON.stringify(log.bindings().service ?? 'gateway');
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== '') stream.write(waiting);
    waiting = '';
  }

  return {
    flush,
    record(exchange) {
      const { request, response, route } = exchange;
      const ms = performance.now() - exchange.startedAt;
      const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED;
      const path = route?.path ?? NO_ROUTE;
      countRequest('gateway', { method: request.method!, route: path, status, seconds: ms / 1000 });
      if (!log.isLevelEnabled('info')) return;
      const owner = route === undefined ? '' : `"owner":"${route.service}",`;
      waiting +=
        `{"level":"info","time":"${timestamp(Date.now())}","service":${service},"requestId":"${exchange.id}",` +
        `"method":"${request.method}","route":"${path}","status":${status},"ms":${Math.round(ms * 10) / 10},` +
        `"address":${JSON.stringify(exchange.address)},"caller":${JSON.stringify(exchange.caller?.key ?? 'unknown')},` +
        `${owner}"msg":"request"}\n`;
      if (waiting.length >= MAX_WAITING_CHARACTERS) flush();
      else timer ??= setTimeout(flush, MAX_WAIT_MS);
    },
  };
}

let second = Number.NaN;
let prefix = '';

/** ISO 8601, as `Date` writes it; the part that changes once a second is kept. */
export function timestamp(ms: number): string {
  const current = Math.floor(ms / 1000);
  if (current !== second) {
    second = current;
    prefix = new Date(current * 1000).toISOString().slice(0, -4);
  }
  return `${prefix}${String(ms % 1000).padStart(3, '0')}Z`;
}

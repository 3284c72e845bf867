import type { Logger } from '@tributary/runtime/log.ts';
import { type Exchange, refuse } from './exchange.ts';
import { forwardHeaders } from './forward-headers.ts';
import { readFrom } from './read.ts';
import { isBodyless } from './request-body.ts';
import { streamTo } from './stream.ts';
import { overloaded, SILENCE_MS, type Target, targetOf, unavailable } from './upstream.ts';

/** Requests on their way to the services; more are turned away at once instead of waiting without end. */
const MAX_UNDER_WAY = 2_048;

export interface ProxyOptions {
  /** Base address of each service, by name. */
  services: Readonly<Record<string, string>>;
  trustsProxies: boolean;
  log: Logger;
  /** Longest silence of a service; a minute unless told otherwise. */
  silenceMs?: number;
}

export interface ReverseProxy {
  /** Sends the request to the service of its route, and the service's answer back. */
  forward(exchange: Exchange, internalToken: string, release: string): void;
  /** Closes the connections to the services. */
  close(): Promise<void>;
}

/** One way to carry an exchange to a service and back. */
export interface Carrier {
  carry(exchange: Exchange, target: Target): void;
  close(): Promise<void> | void;
}

/** What a carrier calls when a service gave no answer. */
export type OnFailure = (exchange: Exchange, error: Error) => void;

/**
 * Carries requests to the services: reads, most of all requests, the short way; what has a body or changes something
 * through http-proxy-middleware.
 */
export function proxyTo({
  services,
  trustsProxies,
  log,
  silenceMs = SILENCE_MS,
}: ProxyOptions): ReverseProxy {
  const targets = new Map(Object.entries(services).map(([name, url]) => [name, targetOf(url)]));
  const reader = readFrom([...targets.values()], silenceMs, fail);
  const streamer = streamTo(silenceMs, fail, log);
  let underWay = 0;

  function fail(exchange: Exchange, error: Error): void {
    const { request, response, route, id } = exchange;
    if (response.writableEnded || response.destroyed) return;
    log.warn({ err: error, requestId: id, service: route!.service }, 'a service did not answer');
    // What is left of the body is read and thrown away: the client reads our answer after it has sent its own.
    request.unpipe();
    request.resume();
    refuse(exchange, unavailable(error), log);
  }

  return {
    forward(exchange, internalToken, release) {
      const { request, response, route } = exchange;
      const target = targets.get(route!.service);
      if (target === undefined || underWay >= MAX_UNDER_WAY) throw overloaded();
      underWay += 1;
      response.once('close', () => {
        underWay -= 1;
      });
      request.headers = forwardHeaders(exchange, {
        host: target.host,
        internalToken,
        release,
        trustsProxies,
      });
      const isRead = (request.method === 'GET' || request.method === 'HEAD') && isBodyless(request);
      (isRead ? reader : streamer).carry(exchange, target);
    },
    async close() {
      await Promise.all([reader.close(), streamer.close()]);
    },
  };
}

import type { Logger } from '@tributary/runtime/log.ts';
import { HOLD_MS } from './again.ts';
import { type Exchange, refuse } from './exchange.ts';
import { forwardHeaders } from './forward-headers.ts';
import { isBodyless, isSmall, readWhole } from './request-body.ts';
import { streamTo } from './stream.ts';
import { overloaded, SILENCE_MS, targetOf, unavailable } from './upstream.ts';
import { carryWhole } from './whole.ts';

/** Requests on their way to the services; more are turned away at once instead of waiting without end. */
const MAX_UNDER_WAY = 2_048;

export interface ProxyOptions {
  /** Base address of each service, by name. */
  services: Readonly<Record<string, string>>;
  trustsProxies: boolean;
  log: Logger;
  /** Longest silence of a service; a minute unless told otherwise. */
  silenceMs?: number;
  /** Longest time that a request waits for a service that is away; 5 s unless told otherwise. */
  holdMs?: number;
}

export interface ReverseProxy {
  /** Sends the request to the service of its route, and the service's answer back. */
  forward(exchange: Exchange, internalToken: string, release: string): void;
  /** Closes the connections to the services. */
  close(): Promise<void>;
}

/** What a carrier calls when a service gave no answer. */
export type OnFailure = (exchange: Exchange, error: Error) => void;

/**
 * Carries requests to the services: those without a body or with a small one, most of all requests, as a whole; what is
 * large or of unknown length as a stream, through http-proxy-middleware.
 */
export function proxyTo(options: ProxyOptions): ReverseProxy {
  const { services, trustsProxies, log, silenceMs = SILENCE_MS, holdMs = HOLD_MS } = options;
  const targets = new Map(Object.entries(services).map(([name, url]) => [name, targetOf(url)]));
  const whole = carryWhole({ targets: [...targets.values()], silenceMs, holdMs, onFailure: fail });
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
      if (isBodyless(request)) whole.carry(exchange, target, null);
      else if (!route!.upload && isSmall(request))
        readWhole(request, (body) => whole.carry(exchange, target, body));
      else streamer.carry(exchange, target);
    },
    async close() {
      await Promise.all([whole.close(), streamer.close()]);
    },
  };
}

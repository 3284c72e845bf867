import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Logger } from '@tributary/runtime/log.ts';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import { type Exchange, refuse, unknownPath } from './exchange.ts';
import { passOnHead } from './pass-on.ts';
import type { OnFailure } from './proxy.ts';
import { limitStreamedBytes } from './request-body.ts';
import { MAX_CONNECTIONS, type Target } from './upstream.ts';

const EXCHANGE = Symbol('exchange');

/** A request with what the middleware's hooks need; a WeakMap would make every garbage collection dearer. */
interface Carried extends IncomingMessage {
  [EXCHANGE]?: { exchange: Exchange; target: Target };
}
const carried = (request: IncomingMessage) => (request as Carried)[EXCHANGE]!;

/** A service that said nothing for too long. */
class SilentService extends Error {
  readonly code = 'ETIMEDOUT';
}

export interface StreamCarrier {
  carry(exchange: Exchange, target: Target): void;
  close(): void;
}

/**
 * Carries requests through http-proxy-middleware, as a stream from client to service and back. Its own plugins are left
 * out: they answer errors in their words and would pass headers of the inner connection on.
 *
 * What has been streamed cannot be sent again, so that it goes over a new connection each time: one kept from before
 * might be closed just as it is used.
 */
export function streamTo(silenceMs: number, onFailure: OnFailure, log: Logger): StreamCarrier {
  const agent = new Agent({ keepAlive: false, maxSockets: MAX_CONNECTIONS, timeout: silenceMs });

  function begin(outgoing: ClientRequest, { exchange }: { exchange: Exchange }): void {
    outgoing.once('timeout', () => outgoing.destroy(new SilentService('the service is silent')));
    if (exchange.route!.upload) return;
    limitStreamedBytes(exchange.request, (problem) => {
      refuse(exchange, problem, log);
      outgoing.destroy();
    });
  }

  const hooks: Plugin = (proxy) => {
    proxy.on('proxyReq', (outgoing, request) => begin(outgoing, carried(request)));
    proxy.on('proxyRes', (incoming, request) => {
      const { exchange } = carried(request);
      passOnHead(exchange, incoming.statusCode!, incoming.headers);
      incoming.pipe(exchange.response);
    });
    proxy.on('error', (error, request) => onFailure(carried(request!).exchange, error));
  };
  const middleware = createProxyMiddleware({
    agent,
    ejectPlugins: true,
    plugins: [hooks],
    selfHandleResponse: true,
    router: (request) => carried(request).target,
  });

  return {
    carry(exchange, target) {
      const { request, response } = exchange;
      (request as Carried)[EXCHANGE] = { exchange, target };
      void middleware(request, response, (error) => refuse(exchange, error ?? unknownPath(), log));
    },
    close: () => agent.destroy(),
  };
}

import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import type { Exchange } from './exchange.ts';
import { passOnHead } from './pass-on.ts';
import type { Carrier, OnFailure } from './proxy.ts';
import { isBrokenOff, MAX_CONNECTIONS, type Target } from './upstream.ts';

const CONNECT_MS = 2_000;

/**
 * Carries requests without a body. They need no stream towards the service, and without one undici's connections cost
 * half of what Node's own client does (`test/load/gateway.ts`).
 */
export function readFrom(targets: readonly Target[], silenceMs: number, onFailure: OnFailure): Carrier {
  const options: Pool.Options = {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: silenceMs,
    keepAliveMaxTimeout: silenceMs,
  };
  const pools = new Map(targets.map((target) => [target.host, new Pool(`http://${target.host}`, options)]));

  function send(exchange: Exchange, target: Target, isRetry: boolean): void {
    const { url, method, headers } = exchange.request;
    const fail = (error: Error) => {
      const { response } = exchange;
      // Nothing changes by reading: a connection closed just as it was used is no reason to refuse.
      if (isBrokenOff(error) && !isRetry && !response.headersSent && !response.destroyed)
        send(exchange, target, true);
      else onFailure(exchange, error);
    };
    pools.get(target.host)!.dispatch({ path: url!, method: method!, headers }, answerTo(exchange, fail));
  }

  return {
    carry: (exchange, target) => send(exchange, target, false),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** Writes the service's answer to the client as it comes, no faster than the client reads. */
function answerTo(exchange: Exchange, fail: (error: Error) => void): Dispatcher.DispatchHandler {
  const { response } = exchange;
  let length = Number.NaN;
  return {
    onRequestStart(controller) {
      const stop = () => {
        if (!response.writableFinished) controller.abort(new Error('the client went away'));
      };
      if (response.destroyed) stop();
      else response.once('close', stop);
    },
    onResponseStart(_controller, status: number, headers: IncomingHttpHeaders) {
      length = Number(headers['content-length']);
      passOnHead(exchange, status, headers);
    },
    onResponseData(controller, chunk) {
      // Most answers come in one piece and leave in one write.
      if (chunk.length === length) response.end(chunk);
      else if (!response.write(chunk)) {
        controller.pause();
        response.once('drain', () => controller.resume());
      }
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError(_controller, error) {
      fail(error);
    },
  };
}

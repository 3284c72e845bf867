import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { answersStillRunning, patienceOf, StillRunning } from './again.ts';
import type { Exchange } from './exchange.ts';
import { passOnHead } from './pass-on.ts';
import type { OnFailure } from './proxy.ts';
import { MAX_CONNECTIONS, type Target } from './upstream.ts';

const CONNECT_MS = 2_000;
/**
 * Longest time that a connection is kept without use. Services give a longer notice (5 s) before they close theirs, so
 * that none is closed just as it is used.
 */
const IDLE_MS = 3_000;

export interface WholeCarrierOptions {
  targets: readonly Target[];
  /** Longest silence of a service. */
  silenceMs: number;
  /** Longest time that a request waits for a service that is away. */
  holdMs: number;
  onFailure: OnFailure;
}

export interface WholeCarrier {
  carry(exchange: Exchange, target: Target, body: Buffer | null): void;
  close(): Promise<void>;
}

/**
 * Carries requests that are whole: without a body, or with a small one that is here already. They need no stream
 * towards the service, and without one undici's connections cost half of what Node's own client does
 * (`test/load/gateway.ts`). And they can be sent again: when a service is away for a moment they wait for it.
 */
export function carryWhole({ targets, silenceMs, holdMs, onFailure }: WholeCarrierOptions): WholeCarrier {
  const options: Pool.Options = {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  };
  const services = new Map(
    targets.map(({ host }) => [
      host,
      { pool: new Pool(`http://${host}`, options), patience: patienceOf(holdMs) },
    ]),
  );

  return {
    carry(exchange, target, body) {
      const { pool, patience } = services.get(target.host)!;
      const { url, method, headers } = exchange.request;
      const request = { path: url!, method: method!, headers, body };
      let isRepeated = false;
      const send = () => pool.dispatch(request, answerTo(exchange, isRepeated, fail));
      const waits = patience.begin(exchange, send);
      function fail(error: Error): void {
        isRepeated = true;
        if (!waits(error)) onFailure(exchange, error);
      }
      send();
    },
    async close() {
      await Promise.all([...services.values()].map(({ pool }) => pool.destroy()));
    },
  };
}

/** Writes the service's answer to the client as it comes, no faster than the client reads. */
function answerTo(
  exchange: Exchange,
  isRepeated: boolean,
  fail: (error: Error) => void,
): Dispatcher.DispatchHandler {
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
    onResponseStart(controller, status: number, headers: IncomingHttpHeaders) {
      if (isRepeated && answersStillRunning(status, headers)) return controller.abort(new StillRunning());
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

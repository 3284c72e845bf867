import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';
import { isBrokenOff, isNotReached } from './upstream.ts';

/** Longest time that a request waits for a service that is away: a restart takes one or two seconds. */
export const HOLD_MS = 5_000;
/** Before each further attempt; the last one is repeated. The first is for a connection closed just as it was used. */
const PAUSES_MS = [0, 50, 100, 200, 400, 500];
/** How often one request may see its connection break: it may be what breaks the service. */
const MAX_BREAKS = 3;
/** Requests that wait for one service; one that stays away must not take the room of all others. */
const MAX_WAITING = 512;

/** The first attempt, whose connection broke, is still at work under the same `Idempotency-Key`. */
export class StillRunning extends Error {}

/** Whether a service answers a repetition with that: 409, and when to come back. */
export const answersStillRunning = (status: number, headers: IncomingHttpHeaders): boolean =>
  status === 409 && headers['retry-after'] !== undefined;

export interface Patience {
  /**
   * Begins a request that `send` sends again.
   * @returns what to tell of each failure: true when the request waits and will be sent again
   */
  begin(exchange: Exchange, send: () => void): (error: Error) => boolean;
}

/**
 * Decides which requests to one service are sent again, and when. One that never reached the service had no effect. One
 * whose connection broke before the answer may have had: it is repeated if repeating changes nothing, because it reads
 * or carries an `Idempotency-Key`.
 */
export function patienceOf(holdMs: number): Patience {
  let waiting = 0;
  return {
    begin({ request, response }, send) {
      let firstFailureAt: number | undefined;
      let failures = 0;
      let breaks = 0;
      return (error) => {
        if (response.headersSent || response.destroyed || !maySendAgain(request, error)) return false;
        if (isBrokenOff(error)) breaks += 1;
        firstFailureAt ??= performance.now();
        const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]!;
        failures += 1;
        const isTooLate = performance.now() - firstFailureAt + pauseMs > holdMs;
        if (isTooLate || breaks > MAX_BREAKS || waiting >= MAX_WAITING) return false;
        waiting += 1;
        setTimeout(() => {
          waiting -= 1;
          if (!response.destroyed) send();
        }, pauseMs);
        return true;
      };
    },
  };
}

const maySendAgain = (request: IncomingMessage, error: Error): boolean =>
  isNotReached(error) || error instanceof StillRunning || (isBrokenOff(error) && isRepeatable(request));

const isRepeatable = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' || method === 'HEAD' || Boolean(headers['idempotency-key']);

import { setTimeout as pause } from 'node:timers/promises';

export interface Attempts {
  /** Requests that were sent. */
  sent: number;
  /** Those that were answered with 5xx, cut off or not answered in time. */
  failed: number;
  /** One line for each of the last failures. */
  failures: string[];
}

export interface Request {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: unknown;
  /** Sent as `Idempotency-Key` with every attempt. */
  key?: string;
  token?: string;
}

/** An acknowledged write: the answer, however many attempts it took. */
export type Insist = (request: Request) => Promise<unknown>;

/** Nobody acknowledged the request in time: it may have happened, once, or not at all. */
export class Unacknowledged extends Error {}

const ANSWER_MS = 20_000;
const PAUSE_MS = 200;
const KEPT_FAILURES = 20;

/**
 * A client as an integrator should write one: what was not answered, or answered with 5xx, is sent again with the same
 * key until the client's patience ends. Any other refusal is an error of the test.
 */
export function insistentClient(baseUrl: string, patienceMs: number) {
  const attempts: Attempts = { sent: 0, failed: 0, failures: [] };
  const insist: Insist = async (request) => {
    const startedAt = Date.now();
    for (;;) {
      attempts.sent += 1;
      const answer = await send(baseUrl, request);
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      // The twin of an attempt that was cut off; it is answered as soon as that one's outcome is known.
      const isTwin = answer.status === 409 && /IdempotentRequestRunning/.test(answer.text);
      if (!isTwin && answer.status > 0 && answer.status < 500)
        throw new Error(`${request.method} ${request.path}: ${answer.status} ${answer.text.slice(0, 500)}`);
      const failure = `${request.method} ${request.path.slice(0, 40)}: ${answer.status} ${answer.text.slice(0, 200)}`;
      if (!isTwin) {
        attempts.failed += 1;
        attempts.failures = [...attempts.failures, failure].slice(-KEPT_FAILURES);
      }
      if (Date.now() - startedAt > patienceMs) throw new Unacknowledged(failure);
      await pause(PAUSE_MS);
    }
  };
  return { insist, attempts };
}

async function send(baseUrl: string, { method, path, body, key, token }: Request) {
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, text, body: isJson && text ? JSON.parse(text) : undefined };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    return { status: 0, text: `${message} ${cause?.message ?? ''}`, body: undefined };
  }
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { notFound, Problem, problemBody } from '@tributary/runtime/http/problem.ts';
import type { Logger } from '@tributary/runtime/log.ts';
import type { Caller } from './caller.ts';
import type { GatewayRoute } from './route-table.ts';

/** One request and its answer on their way through the gateway. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** Address of the client. */
  readonly address: string;
  /** `performance.now()` at the start. */
  readonly startedAt: number;
  /** Headers that go on the answer, whoever gives it. */
  headers: Record<string, string>;
  route?: GatewayRoute;
  caller?: Caller;
  /** Called before a service's answer of success is passed on. */
  onSuccess?: () => void;
}

const REQUEST_ID = /^[\w.:-]{8,64}$/;

/** The id the client gave the request if it is fit for a log line, else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Answers JSON. */
export function answer(
  exchange: Exchange,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const { request, response } = exchange;
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    ...exchange.headers,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** Answers without a body. */
export function answerEmpty(exchange: Exchange, status: number, headers: Record<string, string>): void {
  exchange.response.writeHead(status, { ...exchange.headers, ...headers, 'content-length': 0 });
  exchange.response.end();
}

/** Answers whatever was thrown in the contract's error shape; what is already on its way is cut off. */
export function refuse(exchange: Exchange, error: unknown, log: Logger): void {
  const { response } = exchange;
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  if (error instanceof Problem) {
    answer(exchange, error.type.status, problemBody(error), error.headers);
    return;
  }
  log.error({ err: error, requestId: exchange.id }, 'request failed');
  answer(exchange, 500, { error: 'InternalServerError', detail: 'Internal server error' });
}

/** 404 of a path that no service has. */
export const unknownPath = (): Problem => notFound('Not Found');

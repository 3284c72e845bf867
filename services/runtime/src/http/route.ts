import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Access } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import type { z } from 'zod';
import type { Tx } from '../db/transaction.ts';
import type { ProblemType } from './problem.ts';
import type { Reply } from './reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Rate classes of domain rules 10.6; the gateway holds the numbers. */
export type RateClass =
  | 'normal'
  | 'browser'
  | 'restricted'
  | 'portal_license_keys'
  | 'checkout_confirm'
  | 'customer_email'
  | 'unlimited';

/** What a handler is given: the validated request, who asks, and when. */
export interface Call<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The body as it arrives, for routes with `upload: true`. */
  stream: Readable;
  /** The body as it came; all there is of it for routes with `raw: true`. */
  bytes: Buffer;
  principal: Principal;
  headers: IncomingHttpHeaders;
  ip: string;
  requestId: string;
  now: Date;
  /**
   * Runs `work` in one database transaction and stores its result, with the request's `Idempotency-Key` if it has
   * one, in that same transaction: the answer is replayed exactly when the effect happened. Use it for the last
   * (usually the only) write of a request and return what it returns.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** One operation of the HTTP API: all that the server, the gateway's route table and the OpenAPI document need. */
export interface Route<App = never> {
  method: Method;
  /** Contract path with `{name}` parameters; collections end with `/` where the contract's do. */
  path: string;
  /** Contract operation id, `resource:verb`. */
  operation: string;
  summary: string;
  access: Access;
  rate: RateClass;
  status: number;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The body is `application/x-www-form-urlencoded` instead of JSON. */
  form: boolean;
  /** The body is handed to the handler as a stream. */
  upload: boolean;
  /**
   * The body is handed to the handler as bytes within the size limit, neither decoded nor parsed nor checked: for bodies
   * so large that this would hold up other requests, and for forms that are refused in other words. `body` only
   * describes the shape.
   */
  raw: boolean;
  /** Success changes which organizations the caller reaches: the gateway then asks again who the caller is. */
  changesReach: boolean;
  /** Shape of the answer; absent for an empty one. */
  response?: z.ZodType;
  problems: readonly ProblemType[];
  handle(call: Call<never, never, never>, app: App): Promise<unknown>;
}

interface Definition<
  App,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  R extends z.ZodType,
> {
  method: Method;
  path: string;
  operation: string;
  summary: string;
  access: Access;
  rate?: RateClass;
  status?: number;
  params?: P;
  query?: Q;
  body?: B;
  form?: boolean;
  upload?: boolean;
  raw?: boolean;
  changesReach?: boolean;
  response?: R;
  problems?: readonly ProblemType[];
  handle(call: Call<z.output<P>, z.output<Q>, z.output<B>>, app: App): Promise<z.input<R> | Reply>;
}

/**
 * Gives a service its route constructor, typed by what its handlers need.
 * `status` defaults to 200; `rate` to `normal`.
 */
export const routeFor =
  <App>() =>
  <
    P extends z.ZodObject = z.ZodObject<Record<never, never>>,
    Q extends z.ZodObject = z.ZodObject<Record<never, never>>,
    B extends z.ZodType = z.ZodUndefined,
    R extends z.ZodType = z.ZodVoid,
  >(
    definition: Definition<App, P, Q, B, R>,
  ): Route<App> => ({
    rate: 'normal',
    status: 200,
    form: false,
    upload: false,
    raw: false,
    changesReach: false,
    problems: [],
    ...definition,
    handle: definition.handle as Route<App>['handle'],
  });

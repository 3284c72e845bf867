import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import express, { type NextFunction, type Request, type Response } from 'express';
import { type Database, inTransaction } from '../db/transaction.ts';
import { currentRequestId, type Logger, withRequestId } from '../log.ts';
import { measureRequests } from '../metrics.ts';
import { principalKey } from '../principal.ts';
import { authorize } from './authorize.ts';
import { parseJson, readBytes, requireLength, textOf } from './body.ts';
import { type Claim, claimKey, fingerprintOf, releaseKey, settleKey } from './idempotency.ts';
import { INTERNAL_TOKEN_HEADER, principalVerifier } from './internal-token.ts';
import { type Issue, notFound, Problem, ValidationProblem } from './problem.ts';
import { readQuery } from './query-string.ts';
import { Reply } from './reply.ts';
import type { Call, Route } from './route.ts';
import { sendProblem } from './send-problem.ts';
import { check, hostileIssues, mayBeHostile, nulIssues } from './validation.ts';

export interface HttpOptions<App> {
  /** Name of the service: the audience of the internal tokens it takes. */
  service: string;
  routes: readonly Route<App>[];
  app: App;
  db: Database;
  secret: string;
  now: () => Date;
  log: Logger;
  /** Number of this process's `Life`; 0, the default, if it shows none. */
  process?: number;
  /** `/healthz`, `/readyz` and `/metrics`, answered without an internal token. */
  probes?: express.Router;
}

type AnyCall = Call<unknown, unknown, unknown>;

/** The service's HTTP application: every route value, behind the internal token. */
export function httpApplication<App>(options: HttpOptions<App>): express.Express {
  const application = express();
  application.disable('x-powered-by').disable('etag');
  application.enable('strict routing').enable('case sensitive routing');
  if (options.probes) application.use(options.probes);
  application.use(measureRequests(options.service));
  application.use((request, _response, next) =>
    withRequestId(request.header('x-request-id') ?? newId(), next),
  );
  const verify = principalVerifier(options.service, options.secret, options.now);
  for (const route of staticFirst(options.routes)) {
    const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    application[method](route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (request, response, next) => {
      answer(route, request, response, options, verify).catch(next);
    });
  }
  application.use(() => {
    throw notFound();
  });
  application.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendProblem(error, request, response, options.log);
  });
  return application;
}

/** The gateway passes on up to 16 KiB of a client's headers and adds the caller's identity, with all organizations. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** Starts listening; port 0 takes a free one. Resolves with the server once it accepts connections. */
export async function listen(application: express.Express, port: number, host = '0.0.0.0'): Promise<Server> {
  const server = createServer(
    {
      keepAliveTimeout: 75_000,
      headersTimeout: 60_000,
      requestTimeout: 120_000,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    application,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return server;
}

/** The TCP port a server listens on. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function answer<App>(
  route: Route<App>,
  request: Request,
  response: Response,
  options: HttpOptions<App>,
  verify: (token: string | undefined) => Promise<Principal>,
): Promise<void> {
  const principal = await verify(request.header(INTERNAL_TOKEN_HEADER));
  authorize(route.access, principal);
  const input = await readInput(route, request);
  const claim = await claimFor(route, request, principal, input.bytes, options);
  if (claim instanceof Reply) return send(response, claim);
  const call = callOf(route, request, principal, input, claim, options);
  try {
    const result = await route.handle(call as Call<never, never, never>, options.app);
    const reply = result instanceof Reply ? result : new Reply(route.status, result);
    if (claim && !claim.isSettled) await settleKey(options.db.manager, claim, reply);
    send(response, reply);
  } catch (error) {
    if (claim) await giveUp(options.db, claim, error);
    throw error;
  }
}

async function readInput<App>(route: Route<App>, request: Request) {
  const issues: Issue[] = [];
  const raw = { params: { ...request.params }, query: readQuery(request.originalUrl) };
  issues.push(...nulIssues(raw.params, ['path']), ...nulIssues(raw.query, ['query']));
  const params = route.params ? check(route.params, raw.params, ['path'], issues) : {};
  const query = route.query ? check(route.query, raw.query, ['query'], issues) : {};
  let bytes: Buffer = Buffer.alloc(0);
  let body: unknown;
  if (route.body) {
    requireLength(request);
    bytes = await readBytes(request);
  }
  if (route.body && !route.raw) {
    const text = textOf(bytes);
    const value = route.form ? readQuery(`?${text}`) : parseJson(text);
    const found = mayBeHostile(text) || route.form ? hostileIssues(value, ['body']) : [];
    issues.push(...found);
    if (found.length === 0) body = check(route.body, value, ['body'], issues);
  }
  if (issues.length > 0) throw new ValidationProblem(issues);
  return { params, query, body, bytes };
}

async function claimFor<App>(
  route: Route<App>,
  request: Request,
  principal: Principal,
  bytes: Buffer,
  { db, process }: HttpOptions<App>,
) {
  const key = request.header('idempotency-key');
  if (key === undefined || key === '' || route.method === 'GET' || route.upload) return undefined;
  const owner = principal.kind === 'anonymous' ? `anonymous:${request.path}` : principalKey(principal);
  const fingerprint = fingerprintOf(`${route.method} ${request.originalUrl}`, bytes);
  return claimKey(db, owner, key, fingerprint, process);
}

function callOf<App>(
  route: Route<App>,
  request: Request,
  principal: Principal,
  input: { params: unknown; query: unknown; body: unknown; bytes: Buffer },
  claim: Claim | undefined,
  options: HttpOptions<App>,
): AnyCall {
  return {
    ...input,
    stream: route.upload ? request : Readable.from([]),
    principal,
    headers: request.headers,
    ip: request.header('x-forwarded-for')?.split(',')[0]?.trim() ?? request.ip ?? '',
    requestId: currentRequestId() ?? '',
    now: options.now(),
    async transaction(work) {
      const result = await inTransaction(options.db, async (tx) => {
        const value = await work(tx);
        if (claim)
          await settleKey(tx, claim, value instanceof Reply ? value : new Reply(route.status, value));
        return value;
      });
      if (claim) claim.isSettled = true;
      return result;
    },
  };
}

/** A refusal is an answer and is kept; after a bug the client may try again. */
async function giveUp(db: Database, claim: Claim, error: unknown): Promise<void> {
  if (claim.isSettled) return;
  if (!(error instanceof Problem) || error.type.status >= 500) return releaseKey(db, claim);
  const body = { error: error.type.name, detail: error.message };
  // A request that took the key over stores its own answer.
  await settleKey(db.manager, claim, new Reply(error.type.status, body, error.headers)).catch(
    () => undefined,
  );
}

function send(response: Response, reply: Reply): void {
  response.status(reply.status).set(reply.headers);
  if (reply.body === undefined) response.end();
  else if (reply.body instanceof Readable) pipeline(reply.body, response, () => undefined);
  else if (response.hasHeader('content-type')) response.end(reply.body as string | Buffer);
  else response.type('application/json').end(JSON.stringify(reply.body));
}

/** Literal segments win over parameters, whatever the order in which routes are listed. */
function staticFirst<App>(routes: readonly Route<App>[]): Route<App>[] {
  const weight = (path: string) =>
    path
      .split('/')
      .map((segment) => (segment.startsWith('{') ? '1' : '0'))
      .join('');
  return routes.toSorted((a, b) => weight(a.path).localeCompare(weight(b.path)));
}

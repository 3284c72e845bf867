import { hash, timingSafeEqual } from 'node:crypto';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { isDatabaseTrouble } from '../db/trouble.ts';
import { Problem, ValidationProblem } from '../http/problem.ts';
import type { Logger } from '../log.ts';
import { type Definition, type Implementation, PROBLEM_KEY, SECRET_KEY } from './definition.ts';

export interface GrpcOptions {
  port: number;
  host?: string;
  secret: string;
  services: readonly Provided[];
  log: Logger;
}

/** A definition with its implementation and the `.proto` file that reflection serves. */
export interface Provided {
  definition: Definition;
  implementation: Record<string, (request: never) => Promise<unknown>>;
  protoFile: string;
}

/** Pairs a generated definition with its implementation, checked against each other. */
export const provide = <D extends Definition>(
  definition: D,
  implementation: Implementation<D>,
  protoFile: string,
): Provided => ({
  definition,
  implementation,
  protoFile,
});

const PROTO_ROOT = new URL('.', import.meta.resolve('@tributary/proto/access.ts')).pathname;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Serves gRPC with reflection. Callers must present the shared secret. Resolves with the port bound. */
export async function serveGrpc(options: GrpcOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
  for (const { definition, implementation } of options.services) {
    const handlers = Object.entries(implementation).map(
      ([name, handle]) => [name, unary(handle, options)] as const,
    );
    server.addService(definition, Object.fromEntries(handlers));
  }
  const files = options.services.map((service) => service.protoFile);
  if (files.length > 0)
    new ReflectionService(loadSync(files, { includeDirs: [PROTO_ROOT], keepCase: true })).addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(
      `${options.host ?? '0.0.0.0'}:${options.port}`,
      ServerCredentials.createInsecure(),
      (error, bound) => (error ? reject(error) : resolve(bound)),
    );
  });
  return { port, stop: () => stopServer(server) };
}

function unary(handle: (request: never) => Promise<unknown>, { secret, log }: GrpcOptions) {
  return (call: ServerUnaryCall<unknown, unknown>, reply: sendUnaryData<unknown>) => {
    if (!isSame(String(call.metadata.get(SECRET_KEY)[0] ?? ''), secret)) {
      reply({ code: status.UNAUTHENTICATED, details: 'The shared secret is missing or wrong.' });
      return;
    }
    handle(call.request as never).then(
      (value) => reply(null, value),
      (error: unknown) => reply(toStatus(error, log, call.getPath())),
    );
  };
}

const isSame = (a: string, b: string) =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));

const CODES: Record<number, status> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  409: status.ABORTED,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
};

function toStatus(error: unknown, log: Logger, path: string): Partial<ServiceError> {
  if (error instanceof Problem) {
    const metadata = new Metadata();
    const carried = { name: error.type.name, status: error.type.status, detail: error.message };
    metadata.set(PROBLEM_KEY, Buffer.from(JSON.stringify(carried)));
    return { code: CODES[error.type.status] ?? status.FAILED_PRECONDITION, details: error.message, metadata };
  }
  if (error instanceof ValidationProblem) return { code: status.INVALID_ARGUMENT, details: error.message };
  if (isDatabaseTrouble(error)) {
    log.warn({ err: error, path }, 'the database is not available');
    return { code: status.UNAVAILABLE, details: 'The database is not available.' };
  }
  log.error({ err: error, path }, 'gRPC call failed');
  return { code: status.INTERNAL, details: 'Internal error' };
}

function stopServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const forced = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, 5_000);
    server.tryShutdown(() => {
      clearTimeout(forced);
      resolve();
    });
  });
}

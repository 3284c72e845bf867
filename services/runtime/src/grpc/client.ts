import {
  credentials,
  type Client as GrpcClient,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { Problem, problemType, ServiceUnavailable } from '../http/problem.ts';
import { type Client, type Definition, PROBLEM_KEY, SECRET_KEY } from './definition.ts';

const DEADLINE_MS = 5_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/**
 * A call whose connection broke may have had its effect. It is repeated all the same, unless the method makes something
 * new each time.
 */
const isRepeatable = (method: string): boolean => !/create/i.test(method);

/** The gRPC service config of a client: which methods are tried again, how often and when. */
function retries(definition: Definition): string {
  const repeatable = Object.keys(definition).filter(isRepeatable);
  return JSON.stringify({
    methodConfig: [
      {
        name: repeatable.map((method) => nameOf(definition[method]!.path)),
        retryPolicy: {
          maxAttempts: 4,
          initialBackoff: '0.05s',
          maxBackoff: '0.5s',
          backoffMultiplier: 2,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ],
  });
}

function nameOf(path: string): { service: string; method: string } {
  const [, service, method] = path.split('/');
  return { service: service!, method: method! };
}

/**
 * A client whose methods return promises, over one kept channel. Every call has a deadline (default 5 s), until which it
 * waits for a server that cannot be reached. A problem the server raised is thrown as the same Problem; a server that
 * did not answer in time is 503 ServiceUnavailable.
 * @param address `host:port`
 */
export function connect<D extends Definition>(
  definition: D,
  address: string,
  secret: string,
): Client<D> & { close(): void } {
  const Constructor = makeGenericClientConstructor(definition, 'client');
  const client = new Constructor(address, credentials.createInsecure(), {
    'grpc.service_config': retries(definition),
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
  });
  const metadata = new Metadata({ waitForReady: true });
  metadata.set(SECRET_KEY, secret);
  const methods = Object.keys(definition).map((name) => [name, caller(client, name, metadata)] as const);
  return { ...(Object.fromEntries(methods) as unknown as Client<D>), close: () => client.close() };
}

type RawMethod = (
  request: unknown,
  metadata: Metadata,
  options: { deadline: Date },
  done: (error: ServiceError | null, reply: unknown) => void,
) => void;

function caller(client: GrpcClient, name: string, metadata: Metadata) {
  const method = (client as unknown as Record<string, RawMethod>)[name]!.bind(client);
  return (request: unknown, deadlineMs = DEADLINE_MS) =>
    new Promise<unknown>((resolve, reject) => {
      const deadline = new Date(Date.now() + deadlineMs);
      method(request, metadata.clone(), { deadline }, (error, reply) =>
        error ? reject(toProblem(error, name)) : resolve(reply),
      );
    }).catch((error: Error) => {
      throw error.message === CLOSED ? unavailable(name, CLOSED) : error;
    });
}

/** What a call is told whose own process is stopping. */
const CLOSED = 'Channel has been shut down';

/** Statuses of a call that its server did not answer: it could not be reached, was too slow, or ended meanwhile. */
const UNANSWERED = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);
/** grpc-js calls a stream that was cut off an internal error, as it does a bug of the server. */
const CUT_OFF = /^Received RST_STREAM/;

const unavailable = (method: string, details: string) =>
  new Problem(ServiceUnavailable, `${method}: ${details}`, { 'retry-after': '1' });

/** The problem that a failed call is for its caller; exported for its tests. */
export function toProblem(error: ServiceError, method: string): Error {
  const [carried] = error.metadata?.get(PROBLEM_KEY) ?? [];
  if (carried) {
    const {
      name,
      status: code,
      detail,
    } = JSON.parse(carried.toString()) as { name: string; status: number; detail: string };
    return new Problem(problemType(name, code), detail);
  }
  const isUnanswered = UNANSWERED.has(error.code) || CUT_OFF.test(error.details);
  return isUnanswered ? unavailable(method, error.details) : error;
}

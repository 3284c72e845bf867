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
/** A server that is restarting is tried again; nothing ran on it. */
const RETRIES = JSON.stringify({
  methodConfig: [
    {
      name: [{}],
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

/**
 * A client whose methods return promises, over one kept channel. Every call has a deadline (default 5 s). A problem
 * the server raised is thrown as the same Problem; a server out of reach is 503 ServiceUnavailable.
 * @param address `host:port`
 */
export function connect<D extends Definition>(
  definition: D,
  address: string,
  secret: string,
): Client<D> & { close(): void } {
  const Constructor = makeGenericClientConstructor(definition, 'client');
  const client = new Constructor(address, credentials.createInsecure(), {
    'grpc.service_config': RETRIES,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
  });
  const metadata = new Metadata();
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
    });
}

function toProblem(error: ServiceError, method: string): Error {
  const [carried] = error.metadata?.get(PROBLEM_KEY) ?? [];
  if (carried) {
    const {
      name,
      status: code,
      detail,
    } = JSON.parse(carried.toString()) as { name: string; status: number; detail: string };
    return new Problem(problemType(name, code), detail);
  }
  if (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED) {
    return new Problem(ServiceUnavailable, `${method}: ${error.details}`, { 'retry-after': '1' });
  }
  return error;
}

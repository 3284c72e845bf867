import { z } from 'zod';
import { logLevels } from './log.ts';
import { StartFailure } from './start-failure.ts';

/** The process environment, or what stands for it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** `GRPC_PORT` to `grpcPort`. */
export type Camel<N extends string> = N extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<N>;

type Shape = Readonly<Record<string, z.ZodType>>;

/** What `readConfig` makes of a shape: the same values under camel-case names. */
export type ConfigOf<S extends Shape> = { readonly [N in keyof S & string as Camel<N>]: z.output<S[N]> };

/** The environment does not describe a process that can start; the message is one line for its operator. */
export class ConfigError extends StartFailure {
  override readonly name = 'ConfigError';
}

/**
 * Reads the variables of `shape` from the environment; an empty one counts as absent.
 * @throws ConfigError naming every missing or wrong variable, and no value, as it may be a secret
 */
export function readConfig<S extends Shape>(shape: S, environment: Environment): ConfigOf<S> {
  const config: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const result = schema.safeParse(environment[name] || undefined);
    if (result.success) config[camel(name)] = result.data;
    else faults.push(`${name} ${result.error.issues[0]!.message}`);
  }
  if (faults.length > 0) throw new ConfigError(`configuration: ${faults.join('; ')}`);
  return Object.freeze(config) as ConfigOf<S>;
}

const required = z.string({ error: 'is missing' });
const HOST_AND_PORT = /^(?:[\w.-]+|\[[\da-f:.]+\]):\d{1,5}$/i;
const MAX_BROKERS = 50;

/** Text with a value. */
export const text = required;

/** A secret: 32 characters or more, never with a default. */
export const secret = required.min(32, { error: 'must be at least 32 characters' });

/** A TCP port; 0 takes any free one. */
export const port = required
  .regex(/^\d{1,5}$/, { error: 'must be a port number' })
  .transform(Number)
  .refine((number) => number <= 65_535, { error: 'must be a port number' });

/** `host:port` of another server. */
export const address = required.regex(HOST_AND_PORT, { error: 'must be host:port' });

/** An integer between two bounds. */
export const integer = (least: number, most: number) =>
  required
    .regex(/^\d{1,15}$/, { error: `must be an integer from ${least} to ${most}` })
    .transform(Number)
    .refine((number) => number >= least && number <= most, {
      error: `must be an integer from ${least} to ${most}`,
    });

/** An absolute http or https address, without the slash at its end. */
export const httpUrl = urlOf(['http:', 'https:'], 'must be an http or https address').transform((url) =>
  url.replace(/\/+$/, ''),
);

/** Address of a PostgreSQL database. */
export const databaseUrl = urlOf(['postgres:', 'postgresql:'], 'must be a postgres:// address');

/** Address of a Redis server. */
export const redisUrl = urlOf(['redis:', 'rediss:'], 'must be a redis:// address');

const brokerList = (whenMissing: string) =>
  z
    .string({ error: whenMissing })
    .transform((list) => list.split(',').map((broker) => broker.trim()))
    .refine(
      (brokers) => brokers.length <= MAX_BROKERS && brokers.every((broker) => HOST_AND_PORT.test(broker)),
      {
        error: 'must be a list of host:port with commas between',
      },
    );

/** What every process reads, the gateway too. */
export const processShape = {
  PORT: port.default(8080),
  PUBLIC_URL: httpUrl,
  INTERNAL_SECRET: secret,
  ENVIRONMENT: z.enum(['sandbox', 'production'], { error: 'must be sandbox or production' }),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** Notice between failing readiness and closing the port, ms: longer than others keep a connection idle. */
  DRAIN_MS: integer(0, 10_000).default(5_000),
} as const;

/** What a service started alone reads. Without a broker it could neither tell nor hear what happened. */
export const serviceShape = {
  ...processShape,
  GRPC_PORT: port.default(9090),
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: integer(1, 500).default(20),
  KAFKA_BROKERS: brokerList(
    'is missing: a service started alone needs a Kafka broker; `npm start` runs all services in one process without one',
  ),
} as const;

/**
 * What a service is started with. Inside one process it has no brokers and is given a transport instead, listens to
 * its own machine only, and stops without notice: its only client stops before it.
 */
export type ServiceConfig = Omit<ConfigOf<typeof serviceShape>, 'kafkaBrokers' | 'drainMs'> & {
  readonly kafkaBrokers?: readonly string[];
  readonly drainMs?: number;
  readonly listenHost?: string;
};

/** Addresses of the services this one calls: `grpcPeers('billing')` reads `BILLING_GRPC` as `billingGrpc`. */
export function grpcPeers<const N extends string>(
  ...names: N[]
): Readonly<Record<`${Uppercase<N>}_GRPC`, typeof address>> {
  const entries = names.map((name) => [`${name.toUpperCase()}_GRPC`, address]);
  return Object.fromEntries(entries);
}

function urlOf(protocols: readonly string[], error: string) {
  return required.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error,
  });
}

const camel = (name: string): string =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

import { resolve } from 'node:path';
import {
  databaseUrl,
  type Environment,
  httpUrl,
  integer,
  port,
  readConfig,
  redisUrl,
  serviceShape,
  text,
} from '@tributary/runtime/config.ts';

const REPOSITORY = resolve(import.meta.dirname, '../../..');
const DEFAULT_PORT = 8080;

const embeddedShape = {
  PORT: port.default(DEFAULT_PORT),
  /** Folder of everything that is kept between starts. */
  TRIBUTARY_HOME: text.default(resolve(REPOSITORY, '.tributary')),
  /** A PostgreSQL server to use instead of the embedded one; each service makes its own database on it. */
  DATABASE_URL: databaseUrl.optional(),
  KAFKA_BROKERS: serviceShape.KAFKA_BROKERS.optional(),
  REDIS_URL: redisUrl.optional(),
  PUBLIC_URL: httpUrl.optional(),
  RATE_LIMIT_FACTOR: integer(1, 1_000_000).default(1_000),
  LOG_LEVEL: serviceShape.LOG_LEVEL.unwrap().default('warn'),
} as const;

/** What the embedded start reads from the environment; nothing is required. */
export function readEmbeddedConfig(environment: Environment) {
  const config = readConfig(embeddedShape, environment);
  return {
    ...config,
    home: resolve(config.tributaryHome),
    baseUrl: config.publicUrl ?? `http://localhost:${config.port}`,
  };
}
export type EmbeddedConfig = ReturnType<typeof readEmbeddedConfig>;

import {
  address,
  type ConfigOf,
  type Environment,
  httpUrl,
  integer,
  processShape,
  readConfig,
  redisUrl,
  serviceShape,
  text,
} from '@tributary/runtime/config.ts';
import { z } from 'zod';

const MAX_ORIGINS = 100;

const origins = z
  .string()
  .transform((list) => list.split(',').map((origin) => origin.trim()))
  .refine(
    (list) =>
      list.length <= MAX_ORIGINS && list.every((one) => URL.canParse(one) && new URL(one).origin === one),
    {
      error: 'must be a list of origins (https://shop.example) with commas between',
    },
  );

const MAX_CALLERS = 10_000;
/** As `principalKey` and the access log name them. */
const CALLER = /^(organization|user|client|customer|member):[\w:.-]{1,255}$/;

const callers = z
  .string()
  .transform((list) => list.split(',').map((caller) => caller.trim()))
  .refine((list) => list.length <= MAX_CALLERS && list.every((caller) => CALLER.test(caller)), {
    error: 'must be a list of callers (organization:<id>, user:<id>) with commas between',
  });

const shape = {
  ...processShape,
  /** Address of the gRPC server that knows tokens. */
  IDENTITY_GRPC: address,
  REDIS_URL: redisUrl.optional(),
  KAFKA_BROKERS: serviceShape.KAFKA_BROKERS.optional(),
  /** Browser origins that may call merchant operations. */
  CORS_ORIGINS: origins.default([]),
  /** How many proxies in front of the gateway are ours: as many entries of X-Forwarded-For are believed. */
  TRUSTED_PROXIES: integer(0, 10).default(0),
  /** Callers with the elevated rate limit. */
  ELEVATED_CALLERS: callers.default([]),
  /** Multiplies every rate limit. */
  RATE_LIMIT_FACTOR: integer(1, 1_000_000).default(1),
  LISTEN_HOST: text.default('0.0.0.0'),
} as const;

/** What a gateway is started with. */
export interface GatewayConfig {
  /** 0 takes any free port. */
  port: number;
  listenHost: string;
  publicUrl: string;
  internalSecret: string;
  environment: 'sandbox' | 'production';
  /** Base address of each service that owns a route, by its name. */
  services: Readonly<Record<string, string>>;
  redisUrl?: string;
  corsOrigins: readonly string[];
  trustedProxies: number;
  rateLimitFactor: number;
  /** Keys of callers with the elevated rate limit. */
  elevatedCallers?: readonly string[];
  drainMs: number;
  /** Longest silence of a service, ms; a minute unless told otherwise. */
  silenceMs?: number;
  /** Longest time that a request waits for a service that is away, ms; 5 s unless told otherwise. */
  holdMs?: number;
}

/** Reads the environment of a gateway started alone; each service's address is in `<NAME>_URL`. */
export function gatewayConfig(environment: Environment, serviceNames: readonly string[]) {
  const names = serviceNames.map((name) => [name, `${name.toUpperCase()}_URL`] as const);
  const urls = Object.fromEntries(names.map(([, variable]) => [variable, httpUrl]));
  const config = readConfig({ ...urls, ...shape }, environment) as ConfigOf<typeof shape>;
  const services = Object.fromEntries(
    names.map(([name]) => [name, (config as Record<string, unknown>)[`${name}Url`] as string]),
  );
  return { ...config, services } satisfies GatewayConfig;
}

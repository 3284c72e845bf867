import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemClock } from '@tributary/runtime/clock.ts';
import { drainOf } from '@tributary/runtime/http/drain.ts';
import { portOf } from '@tributary/runtime/http/server.ts';
import { createLog, type Logger } from '@tributary/runtime/log.ts';
import { kafkaTransport } from '@tributary/runtime/messaging/kafka.ts';
import type { Transport } from '@tributary/runtime/messaging/message.ts';
import { type Closers, type Running, runMain, starting } from '@tributary/runtime/shutdown.ts';
import { startTelemetry } from '@tributary/runtime/telemetry.ts';
import { accessLog } from './access-log.ts';
import { authenticator } from './authenticate.ts';
import { callerOf } from './caller.ts';
import { type GatewayConfig, gatewayConfig } from './config.ts';
import { crossOrigin } from './cors.ts';
import { gateway } from './gateway.ts';
import { identityClient } from './identity.ts';
import { pages } from './pages.ts';
import { proxyTo } from './proxy.ts';
import { rateLimits } from './rate-limit.ts';
import { connectRedis, redisMemory } from './redis.ts';
import { revocations } from './revocations.ts';
import { matcher } from './route-match.ts';
import { routeTable } from './route-table.gen.ts';
import { type GatewayRoute, servicesOf } from './route-table.ts';
import { standingHeaders } from './security-headers.ts';
import { listen } from './server.ts';
import { type Introspect, tokenCache } from './token-cache.ts';

export interface GatewayDependencies {
  /** Asks identity who is behind a token. */
  introspect: Introspect;
  /** Brings word of revoked tokens; without it a revocation is noticed within 30 s. */
  transport?: Pick<Transport, 'subscribe' | 'ready'>;
  log: Logger;
  now?: () => Date;
  /** The generated table unless told otherwise. */
  routes?: readonly GatewayRoute[];
}

export interface RunningGateway extends Running {
  port: number;
}

/** The names of the services that the generated routes lead to. */
export const serviceNames: readonly string[] = servicesOf(routeTable);

/** Starts the gateway; resolves once it accepts connections. */
export function startGateway(
  config: GatewayConfig,
  dependencies: GatewayDependencies,
): Promise<RunningGateway> {
  const { introspect, transport, log, now = systemClock.now, routes = routeTable } = dependencies;
  return starting(log, async (closing) => {
    const redis = config.redisUrl === undefined ? undefined : connectRedis(config.redisUrl, log);
    if (redis) closing.add('redis', () => redis.destroy());
    const signing = { secret: config.internalSecret, now };
    const cache = tokenCache({
      toCaller: (principal) => callerOf(principal, signing),
      now,
      shared: redis && redisMemory(redis, now),
    });
    await transport?.subscribe(revocations(cache, `gateway.${randomUUID()}`));
    const limits = rateLimits({
      environment: config.environment,
      factor: config.rateLimitFactor,
      elevated: config.elevatedCallers ?? [],
      redis,
      log,
    });
    const accesses = accessLog(log);
    closing.add('access log', accesses.flush);
    const { services, silenceMs, holdMs } = config;
    const proxy = proxyTo({ services, trustsProxies: config.trustedProxies > 0, log, silenceMs, holdMs });
    closing.add('connections', proxy.close);
    const handle = gateway({
      matcher: matcher(routes),
      headers: standingHeaders(config),
      crossOrigin: crossOrigin(config.corsOrigins),
      forget: ({ principal }) => principal.kind !== 'anonymous' && cache.drop(principal.token_id),
      authenticate: authenticator({ ...signing, introspect, cache, failures: limits.badTokens }),
      limits,
      proxy,
      pages: pages({
        services: config.services,
        misses: {
          ...(redis && { redis: () => redis.ping() }),
          ...(transport && { transport: () => transport.ready() }),
        },
        description: description(),
        isStopping: closing.isStopping,
        log,
      }),
      trustedProxies: config.trustedProxies,
      accessLog: accesses,
      log,
    });
    const server = await listen(handle, config.port, config.listenHost);
    const drain = drainOf(server);
    closing.add('http', () => drain(config.drainMs));
    return { port: portOf(server) };
  });
}

const description = (): string => readFileSync(new URL('openapi.gen.json', import.meta.url), 'utf8');

/** The gateway as a process of its own. */
async function start(closing: Closers): Promise<void> {
  const config = gatewayConfig(process.env, serviceNames);
  const log = createLog({ service: 'gateway', level: config.logLevel });
  const telemetry = await startTelemetry('gateway', config.otelExporterOtlpEndpoint);
  closing.add('telemetry', telemetry.stop);
  const identity = identityClient(config.identityGrpc, config.internalSecret);
  closing.add('identity', identity.close);
  const brokers = config.kafkaBrokers;
  const transport = brokers && kafkaTransport({ brokers, clientId: 'gateway', log });
  if (transport) closing.add('transport', transport.stop);
  const running = await startGateway(config, { introspect: identity.introspect, transport, log });
  closing.add('gateway', running.stop);
  log.info({ port: running.port }, 'listening');
}

if (import.meta.main) await runMain('gateway', start);

import { join } from 'node:path';
import { startCatalog } from '@tributary/catalog/main.ts';
import { startCommerce } from '@tributary/commerce/main.ts';
import { identityClient } from '@tributary/gateway/identity.ts';
import { startGateway } from '@tributary/gateway/main.ts';
import {
  type FirstCredentials,
  firstOrganization,
} from '@tributary/identity/bootstrap/create-first-organization.flow.ts';
import { startIdentity } from '@tributary/identity/main.ts';
import { startMetering } from '@tributary/metering/main.ts';
import { startNotifications } from '@tributary/notifications/main.ts';
import type { Clock } from '@tributary/runtime/clock.ts';
import type { Logger, LogLevel } from '@tributary/runtime/log.ts';
import { inProcessTransport } from '@tributary/runtime/messaging/in-process.ts';
import { kafkaTransport } from '@tributary/runtime/messaging/kafka.ts';
import { type Running, starting } from '@tributary/runtime/shutdown.ts';
import { freePorts } from '@tributary/servers/free-ports.ts';
import { type ServiceName, serviceNames } from './service-names.ts';

export interface PlatformOptions {
  /** Folder of everything that is kept: files, mail. */
  home: string;
  /** Address of each service's own database. */
  databaseUrls: Readonly<Record<ServiceName, string>>;
  /** Address integrators use. */
  baseUrl: string;
  /** The gateway's port. */
  port: number;
  internalSecret: string;
  tokenSecret: string;
  kafkaBrokers?: string[];
  redisUrl?: string;
  /** Multiplies every rate limit: on one's own machine they only get in the way. */
  rateLimitFactor: number;
  logLevel: LogLevel;
  log: Logger;
  clock?: Clock;
}

export interface Platform extends Running {
  /** Where each service itself listens, behind the gateway. */
  serviceUrls: Readonly<Record<string, string>>;
  /** The first user, organization and credentials: those kept from an earlier start on this data, or new ones. */
  firstOrganization(kept?: FirstCredentials): Promise<FirstCredentials>;
}

/** All services and the gateway in this process. Without brokers, messages pass within the process. */
export function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { log, clock, kafkaBrokers, internalSecret } = options;
  return starting(log, async (closing) => {
    const within = kafkaBrokers ? undefined : inProcessTransport();
    const given = { transport: within, clock };
    const addresses = await serviceAddresses();
    const config = (name: ServiceName) => ({
      ...sharedConfig(options, addresses),
      ...addresses.portsOf(name),
      databaseUrl: options.databaseUrls[name],
    });
    const started = [
      startIdentity({ ...config('identity'), tokenSecret: options.tokenSecret }, given),
      startCatalog({ ...config('catalog'), filesDirectory: join(options.home, 'files') }, given),
      startCommerce(config('commerce'), given),
      startMetering(config('metering'), given),
      startNotifications(
        { ...config('notifications'), mailDirectory: join(options.home, 'mail'), webhookAllowLoopback: true },
        given,
      ),
    ] as const;
    for (const starting of started)
      void starting.then(
        (service) => closing.add('service', service.stop),
        () => undefined,
      );
    const [identity] = await Promise.all(started);
    const transport = within ?? kafkaTransport({ brokers: kafkaBrokers!, clientId: 'gateway', log });
    closing.add('transport', () => transport.stop());
    const client = identityClient(addresses.grpc.identityGrpc, internalSecret);
    closing.add('identity client', client.close);
    const gateway = await startGateway(gatewayConfig(options, addresses.urls), {
      introspect: client.introspect,
      transport,
      log,
      now: clock?.now,
    });
    closing.add('gateway', gateway.stop);
    within?.open();
    return {
      serviceUrls: addresses.urls,
      firstOrganization: (kept) => firstOrganization(identity.app, kept),
    };
  });
}

async function serviceAddresses() {
  const ports = await freePorts(serviceNames.length * 2);
  const portsOf = (name: ServiceName) => ({
    port: ports[serviceNames.indexOf(name) * 2]!,
    grpcPort: ports[serviceNames.indexOf(name) * 2 + 1]!,
  });
  const at = (name: ServiceName) => `127.0.0.1:${portsOf(name).grpcPort}`;
  return {
    portsOf,
    grpc: {
      identityGrpc: at('identity'),
      catalogGrpc: at('catalog'),
      commerceGrpc: at('commerce'),
      meteringGrpc: at('metering'),
      notificationsGrpc: at('notifications'),
    },
    urls: Object.fromEntries(serviceNames.map((name) => [name, `http://127.0.0.1:${portsOf(name).port}`])),
  };
}

const sharedConfig = (options: PlatformOptions, addresses: Awaited<ReturnType<typeof serviceAddresses>>) => ({
  listenHost: '127.0.0.1',
  databasePoolSize: 10,
  kafkaBrokers: options.kafkaBrokers,
  publicUrl: options.baseUrl,
  internalSecret: options.internalSecret,
  environment: 'sandbox' as const,
  logLevel: options.logLevel,
  otelExporterOtlpEndpoint: undefined,
  ...addresses.grpc,
});

const gatewayConfig = (options: PlatformOptions, services: Record<string, string>) => ({
  port: options.port,
  listenHost: '0.0.0.0',
  publicUrl: options.baseUrl,
  internalSecret: options.internalSecret,
  environment: 'sandbox' as const,
  services,
  redisUrl: options.redisUrl,
  corsOrigins: [],
  trustedProxies: 0,
  rateLimitFactor: options.rateLimitFactor,
  drainMs: 0,
});

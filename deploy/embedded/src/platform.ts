import { join } from 'node:path';
import { startCatalog } from '@tributary/catalog/main.ts';
import { startCommerce } from '@tributary/commerce/main.ts';
import { startGateway } from '@tributary/gateway/main.ts';
import { startIdentity } from '@tributary/identity/main.ts';
import { startMetering } from '@tributary/metering/main.ts';
import { startNotifications } from '@tributary/notifications/main.ts';
import type { Clock } from '@tributary/runtime/clock.ts';
import type { Logger, LogLevel } from '@tributary/runtime/log.ts';
import { inProcessTransport } from '@tributary/runtime/messaging/in-process.ts';
import { type Running, starting } from '@tributary/runtime/shutdown.ts';
import { freePorts } from './free-port.ts';
import { type ServiceName, serviceNames } from './service-names.ts';

export interface PlatformOptions {
  /** Folder of everything that is kept: files, mail. */
  home: string;
  /** Address of each service's own database. */
  databaseUrls: Readonly<Record<ServiceName, string>>;
  /** Address integrators use; its port is the gateway's. */
  baseUrl: string;
  port: number;
  internalSecret: string;
  kafkaBrokers?: readonly string[];
  redisUrl?: string;
  logLevel: LogLevel;
  log: Logger;
  clock?: Clock;
}

/** All services and the gateway in this process. Without brokers, messages pass within the process. */
export async function startPlatform(options: PlatformOptions): Promise<Running> {
  return starting(options.log, async (closing) => {
    const transport = options.kafkaBrokers ? undefined : inProcessTransport();
    const given = { transport, clock: options.clock };
    const ports = await freePorts(serviceNames.length * 2);
    const at = (name: ServiceName) => serviceNames.indexOf(name) * 2;
    const config = (name: ServiceName) => ({
      port: ports[at(name)]!,
      grpcPort: ports[at(name) + 1]!,
      databaseUrl: options.databaseUrls[name],
      databasePoolSize: 10,
      kafkaBrokers: options.kafkaBrokers,
      publicUrl: options.baseUrl,
      internalSecret: options.internalSecret,
      environment: 'sandbox' as const,
      logLevel: options.logLevel,
      otelExporterOtlpEndpoint: undefined,
      ...grpcAddresses((peer) => ports[at(peer) + 1]!),
    });
    const services = await Promise.all([
      startIdentity(config('identity'), given),
      startCatalog({ ...config('catalog'), filesDirectory: join(options.home, 'files') }, given),
      startCommerce(config('commerce'), given),
      startMetering(config('metering'), given),
      startNotifications(
        { ...config('notifications'), mailDirectory: join(options.home, 'mail'), webhookAllowPrivate: true },
        given,
      ),
    ]);
    for (const service of services) closing.add('service', () => service.stop());
    transport?.open();
    return {};
  });
}

const grpcAddresses = (portOf: (name: ServiceName) => number) => ({
  identityGrpc: `127.0.0.1:${portOf('identity')}`,
  catalogGrpc: `127.0.0.1:${portOf('catalog')}`,
  commerceGrpc: `127.0.0.1:${portOf('commerce')}`,
  meteringGrpc: `127.0.0.1:${portOf('metering')}`,
  notificationsGrpc: `127.0.0.1:${portOf('notifications')}`,
});

import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@tributary/embedded/service-names.ts';
import type { KeptServers } from './kept-servers.ts';

export type ProcessName = ServiceName | 'gateway';
export const processNames: readonly ProcessName[] = [...serviceNames, 'gateway'];

export interface Setting {
  folder: string;
  servers: KeptServers;
  databaseUrls: Readonly<Record<ServiceName, string>>;
  internalSecret: string;
  tokenSecret: string;
  baseUrl: string;
  /** Where each service is called: its own ports, or those of what stands before it. */
  called: Readonly<Record<ServiceName, { port: number; grpcPort: number }>>;
}

/** The environment that a process of the platform reads when it listens on these ports. */
export function environmentOf(
  name: ProcessName,
  ports: { port: number; grpcPort: number },
  setting: Setting,
): Record<string, string> {
  const shared = {
    PORT: String(ports.port),
    PUBLIC_URL: setting.baseUrl,
    INTERNAL_SECRET: setting.internalSecret,
    ENVIRONMENT: 'sandbox',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'warn',
    KAFKA_BROKERS: setting.servers.broker,
    ...byName((service) => [
      `${service.toUpperCase()}_GRPC`,
      `127.0.0.1:${setting.called[service].grpcPort}`,
    ]),
  };
  if (name === 'gateway') {
    return {
      ...shared,
      ...byName((service) => [
        `${service.toUpperCase()}_URL`,
        `http://127.0.0.1:${setting.called[service].port}`,
      ]),
      REDIS_URL: setting.servers.redisUrl,
      RATE_LIMIT_FACTOR: '1000000',
      DRAIN_MS: '1000',
    };
  }
  return {
    ...shared,
    GRPC_PORT: String(ports.grpcPort),
    DATABASE_URL: setting.databaseUrls[name],
    DATABASE_POOL_SIZE: '10',
    TOKEN_SECRET: setting.tokenSecret,
    FILES_DIRECTORY: join(setting.folder, 'files'),
    MAIL_DIRECTORY: join(setting.folder, 'mail'),
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  };
}

const byName = (entry: (service: ServiceName) => [string, string]) =>
  Object.fromEntries(serviceNames.map(entry));

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databasesOn } from '@tributary/embedded/databases.ts';
import { startPlatform } from '@tributary/embedded/platform.ts';
import { createLog } from '@tributary/runtime/log.ts';
import { freePorts } from '@tributary/servers/free-ports.ts';
import { startKafka } from '@tributary/servers/kafka.ts';
import { openCluster } from '@tributary/servers/postgres-cluster.ts';
import { startPostgres } from '@tributary/servers/postgres-server.ts';
import type { KeptSite } from './kept-site.ts';

export interface LoadPlatform {
  baseUrl: string;
  organizationToken: string;
  organizationId: string;
  /** Address of the PostgreSQL server, as its superuser; `pg_stat_statements` is loaded. */
  postgresUrl: string;
  /** What the PostgreSQL server prints. */
  postgresLog: string;
  /** Opens every list to a user, with the organizations the user is a member of. */
  personalToken: string;
  userId: string;
  /** What the platform seals and hashes with. */
  secret: string;
  stop(): Promise<void>;
}

/** The whole platform in this process, on a durable PostgreSQL of its own and, if wanted, a real Kafka. */
export async function startLoadPlatform(options: {
  kafka: boolean;
  /** Is kept, and opened again when it is there; else a temporary one. */
  site?: KeptSite;
  /** PostgreSQL settings over those of every load test. */
  settings?: Readonly<Record<string, string>>;
}): Promise<LoadPlatform> {
  const folder = options.site?.folder ?? mkdtempSync(join(tmpdir(), 'tributary-load-'));
  const secret = options.site?.secret ?? randomBytes(32).toString('hex');
  const password = randomBytes(16).toString('hex');
  const postgresLog = join(folder, 'postgres.log');
  const postgres = await startPostgres(openCluster(join(folder, 'postgres')), {
    logFile: postgresLog,
    newSuperuserPassword: password,
    settings: {
      shared_preload_libraries: 'pg_stat_statements',
      max_connections: '200',
      shared_buffers: '512MB',
      ...options.settings,
    },
  });
  const kafka = options.kafka ? await startKafka(join(folder, 'kafka')) : undefined;
  const postgresUrl = `postgres://postgres:${password}@127.0.0.1:${postgres.port}/postgres`;
  const [port] = await freePorts(1);
  const baseUrl = `http://localhost:${port}`;
  const platform = await startPlatform({
    home: folder,
    databaseUrls: (await databasesOn(postgresUrl)).urls,
    baseUrl,
    port: port!,
    internalSecret: secret,
    tokenSecret: secret,
    kafkaBrokers: kafka && [kafka.broker],
    rateLimitFactor: 1_000_000,
    logLevel: 'error',
    log: createLog({ service: 'load', level: 'error' }),
  });
  const first = await platform.firstOrganization();
  return {
    baseUrl,
    organizationToken: first.organization_access_token,
    organizationId: first.organization.id,
    postgresUrl,
    postgresLog,
    personalToken: first.personal_access_token,
    userId: first.user.id,
    secret,
    async stop() {
      await platform.stop();
      await kafka?.stop();
      await postgres.stop();
      if (!options.site) rmSync(folder, { recursive: true, force: true });
    },
  };
}

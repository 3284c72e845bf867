import type { Logger } from '@tributary/runtime/log.ts';
import pg from 'pg';
import type { EmbeddedConfig } from './config.ts';
import { startEmbeddedPostgres } from './postgres.ts';
import { type ServiceName, serviceNames } from './service-names.ts';

export interface Databases {
  /** Address of each service's own database. */
  urls: Record<ServiceName, string>;
  stop(): Promise<void>;
}

/** The services' databases: on the server `DATABASE_URL` names, or on one started for this home. */
export async function openDatabases(config: EmbeddedConfig, log: Logger): Promise<Databases> {
  if (config.databaseUrl) return databasesOn(config.databaseUrl);
  const postgres = await startEmbeddedPostgres({ home: config.home, databases: serviceNames, log });
  return { urls: byService(postgres.urlFor), stop: postgres.stop };
}

/** Databases `tributary_<service>` on a server that is already there, made where they are missing. */
export async function databasesOn(serverUrl: string, prefix = 'tributary'): Promise<Databases> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  try {
    for (const name of serviceNames) {
      const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [
        `${prefix}_${name}`,
      ]);
      if (!rowCount) await admin.query(`create database ${admin.escapeIdentifier(`${prefix}_${name}`)}`);
    }
  } finally {
    await admin.end();
  }
  const urlOf = (name: ServiceName) => {
    const url = new URL(serverUrl);
    url.pathname = `/${prefix}_${name}`;
    return url.href;
  };
  return { urls: byService(urlOf), stop: async () => undefined };
}

const byService = (urlOf: (name: ServiceName) => string) =>
  Object.fromEntries(serviceNames.map((name) => [name, urlOf(name)])) as Record<ServiceName, string>;

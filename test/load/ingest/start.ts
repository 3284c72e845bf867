import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Closers } from '@tributary/runtime/shutdown.ts';
import { openCluster } from '@tributary/servers/postgres-cluster.ts';
import { startPostgres } from '@tributary/servers/postgres-server.ts';
import pg from 'pg';
import type { Platform } from './measure.ts';
import { prepare } from './prepare.ts';
import { postgresCpuMicros, startWorker } from './processes.ts';

/** A PostgreSQL server of the run's own. */
export interface Server {
  url(database: string): string;
  cpuMicros(): number | undefined;
}

/** Metering and a gateway on a database of their own. */
export interface OwnPlatform extends Platform {
  db: pg.Client;
  databaseUrl: string;
  /** Path of a customer meter that ingest changes all the time. */
  meterPath: string;
}

export async function startServer(closing: Closers, countsStatements: boolean): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-load-'));
  closing.add('folder', () => rmSync(folder, { recursive: true, force: true }));
  const password = randomBytes(16).toString('hex');
  const postgres = await startPostgres(openCluster(join(folder, 'postgres')), {
    logFile: join(folder, 'postgres.log'),
    newSuperuserPassword: password,
    settings: {
      max_connections: '100',
      shared_buffers: '1GB',
      max_wal_size: '4GB',
      ...(countsStatements ? { shared_preload_libraries: 'pg_stat_statements' } : {}),
    },
  });
  closing.add('postgres', () => postgres.stop());
  const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${postgres.port}/${database}`;
  const admin = await connected(url('postgres'));
  const { rows } = await admin.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  await admin.end();
  return { url, cpuMicros: () => postgresCpuMicros(rows[0]!.pid) };
}

export async function startPlatform(
  server: Server,
  database: string,
  hasExternalIds: boolean,
  closing: Closers,
): Promise<OwnPlatform> {
  const admin = await connected(server.url('postgres'));
  await admin.query(`create database ${database}`);
  await admin.end();
  const databaseUrl = server.url(database);
  const metering = await startWorker(database, 'metering', databaseUrl);
  closing.add(database, metering.stop);
  const gateway = await startWorker('gateway', 'gateway', String(metering.port));
  closing.add('gateway', gateway.stop);
  const db = await connected(databaseUrl);
  closing.add('client', () => db.end());
  const prepared = await prepare(db, gateway.port, hasExternalIds);
  const cpu = async () => [await gateway.cpuMicros(), await metering.cpuMicros(), server.cpuMicros()];
  return { ...prepared, cpu, db, databaseUrl };
}

/** The same requests, read and answered by a route that does nothing with them. */
export async function startFloor(platform: Platform, closing: Closers): Promise<Platform> {
  const nothing = await startWorker('floor', 'floor');
  closing.add('floor', nothing.stop);
  const gateway = await startWorker('floor gateway', 'gateway', String(nothing.port));
  closing.add('floor gateway', gateway.stop);
  return {
    ...platform,
    ingest: { ...platform.ingest, port: gateway.port },
    cpu: async () => [await gateway.cpuMicros(), await nothing.cpuMicros(), undefined],
  };
}

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLog } from '@tributary/runtime/log.ts';
import { closers } from '@tributary/runtime/shutdown.ts';
import { openCluster } from '@tributary/servers/postgres-cluster.ts';
import { startPostgres } from '@tributary/servers/postgres-server.ts';
import pg from 'pg';
import { copyBaseline, insertBaseline, type Written } from './ingest/baselines.ts';
import { type Cell, measureCell, measureReads, type Platform } from './ingest/measure.ts';
import { prepare, storeMore } from './ingest/prepare.ts';
import { startWorker } from './ingest/processes.ts';
import { printCells, printComparison, printReads } from './ingest/report.ts';
import { ORGANIZATION } from './ingest/worker.ts';

/**
 * What ingest costs, in turns within one run, on one database: raw COPY, one INSERT per event, our ingest over HTTP
 * through the gateway in several batch sizes and numbers of connections, and the floor (the same request, read and
 * answered, with nothing done). Only the ratios mean something on another machine.
 *
 *   node test/load/ingest.ts                         starts PostgreSQL, metering and a gateway, and measures them
 *   node test/load/ingest.ts --base-url … --token …  measures a platform that runs already
 *
 * PROFILE=metering (or gateway) leaves a CPU profile of that process behind.
 */
const { values: given } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    batches: { type: 'string', default: '1,10,100,1000' },
    connections: { type: 'string', default: '1,16,64' },
    /** Numbers of events stored before, to compare ingest at each. */
    stored: { type: 'string', default: '' },
    'without-external-ids': { type: 'boolean', default: false },
    'skip-latency': { type: 'boolean', default: false },
    'base-url': { type: 'string' },
    token: { type: 'string' },
  },
});

const numbers = (text: string) => text.split(',').filter(Boolean).map(Number);
const rounds = Number(given.rounds);
const seconds = Number(given.seconds);
const cells = numbers(given.batches).flatMap((batch) =>
  numbers(given.connections).map((connections): Cell => ({ batch, connections, rounds: [] })),
);
const hasExternalIds = !given['without-external-ids'];

const closing = closers(createLog({ service: 'load', level: 'error' }), 60_000);
try {
  if (given['base-url']) await measureRunning(given['base-url'], given.token ?? '');
  else await measureOwn();
} finally {
  await closing.stop();
}

/** Somebody else's platform: no baselines, and nobody's processor time is known. */
async function measureRunning(baseUrl: string, token: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const platform: Platform = {
    ingest: { host: hostname, port: Number(port), path: '/v1/events/ingest', token },
    source: { customers: await customersOf(baseUrl, token), hasExternalIds },
    cpu: async () => [],
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const cell of cells) await measureCell(platform, cell, seconds);
  }
  printCells(cells, undefined);
}

async function customersOf(baseUrl: string, token: string): Promise<string[]> {
  const answer = await fetch(`${baseUrl}/v1/customers/?limit=100`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { items } = (await answer.json()) as { items: { id: string }[] };
  if (items.length === 0) throw new Error('the organization has no customers to meter');
  return items.map((customer) => customer.id);
}

async function measureOwn(): Promise<void> {
  const started = await start();
  const { platform, floor, databaseUrl, db } = started;
  const copy: Written[] = [];
  const insert: Written[] = [];
  const withCpu = async (write: () => Promise<Written>): Promise<Written> => {
    const before = started.postgresCpu();
    const written = await write();
    const after = started.postgresCpu();
    const isKnown = before !== undefined && after !== undefined;
    return isKnown ? { ...written, cpuPerEvent: (after - before) / written.events } : written;
  };
  const floors: Cell[] = [
    { batch: 1, connections: 64, rounds: [] },
    { batch: 1000, connections: 16, rounds: [] },
  ];
  for (let round = 0; round < rounds; round += 1) {
    copy.push(await withCpu(() => copyBaseline(databaseUrl, ORGANIZATION, platform.source, seconds)));
    insert.push(await withCpu(() => insertBaseline(databaseUrl, ORGANIZATION, platform.source, seconds)));
    for (const cell of floors) await measureCell(floor, cell, seconds);
    for (const cell of cells) await measureCell(platform, cell, seconds);
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  if (!given['skip-latency']) {
    for (const cell of cells) await measureCell(platform, cell, seconds, { isOpen: true });
  }
  process.stdout.write(
    `\n${availableParallelism()} processors, ${rounds} rounds of ${seconds} s, medians; events ${hasExternalIds ? 'with' : 'without'} external ids\n`,
  );
  printCells(cells, floors);
  printComparison({ copy, insert, cells, floors });
  printReads(await measureReads(platform, started.meterPath, seconds));
  for (const stored of numbers(given.stored)) {
    await storeMore(db, stored, platform.source.customers);
    const cell: Cell = { batch: 1000, connections: 16, rounds: [] };
    for (let round = 0; round < rounds; round += 1) await measureCell(platform, cell, seconds);
    process.stdout.write(`\nwith ${stored.toLocaleString('en')} events stored\n`);
    printCells([cell], undefined);
  }
}

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-load-'));
  closing.add('folder', () => rmSync(folder, { recursive: true, force: true }));
  const password = randomBytes(16).toString('hex');
  const postgres = await startPostgres(openCluster(join(folder, 'postgres')), {
    logFile: join(folder, 'postgres.log'),
    newSuperuserPassword: password,
    settings: { max_connections: '100', shared_buffers: '1GB', max_wal_size: '4GB' },
  });
  closing.add('postgres', () => postgres.stop());
  const server = `postgres://postgres:${password}@127.0.0.1:${postgres.port}`;
  const admin = new pg.Client({ connectionString: `${server}/postgres` });
  await admin.connect();
  await admin.query('create database metering');
  const [{ pid }] = (
    await admin.query(`select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`)
  ).rows;
  await admin.end();
  const databaseUrl = `${server}/metering`;
  const worker = async (name: string, role: string, argument?: string) => {
    const one = await startWorker(name, role, argument);
    closing.add(name, one.stop);
    return one;
  };
  const metering = await worker('metering', 'metering', databaseUrl);
  const nothing = await worker('floor', 'floor');
  const gateway = await worker('gateway', 'gateway', String(metering.port));
  const floorGateway = await worker('floor gateway', 'gateway', String(nothing.port));
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  closing.add('client', () => db.end());
  const prepared = await prepare(db, gateway.port, hasExternalIds, pid);
  const floor: Platform = {
    ...prepared.platform,
    ingest: { ...prepared.platform.ingest, port: floorGateway.port },
    cpu: async () => [await floorGateway.cpuMicros(), await nothing.cpuMicros(), undefined],
  };
  const platform: Platform = {
    ...prepared.platform,
    cpu: async () => [await gateway.cpuMicros(), await metering.cpuMicros(), prepared.postgresCpu()],
  };
  const { meterPath, postgresCpu } = prepared;
  return { platform, floor, databaseUrl, db, meterPath, postgresCpu };
}

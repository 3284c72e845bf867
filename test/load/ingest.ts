import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { createLog } from '@tributary/runtime/log.ts';
import { closers } from '@tributary/runtime/shutdown.ts';
import { copyBaseline, insertBaseline, type Written } from './ingest/baselines.ts';
import { type Cell, measureCell, measureReads, type Platform } from './ingest/measure.ts';
import { printCells, printComparison, printReads, printSizes } from './ingest/report.ts';
import { settle } from './ingest/settle.ts';
import { type OwnPlatform, type Server, startFloor, startPlatform, startServer } from './ingest/start.ts';
import { countStatements, printStatements } from './ingest/statements.ts';
import { storeMore } from './ingest/store-more.ts';
import { ORGANIZATION } from './ingest/worker.ts';

/**
 * What ingest costs, in turns within one run, on one database: raw COPY, one INSERT per event, our ingest over HTTP
 * through the gateway in several batch sizes and numbers of connections, and the floor (the same request, read and
 * answered, with nothing done). Only the ratios mean something on another machine.
 *
 *   npm run load:ingest                                 starts PostgreSQL, metering and a gateway, and measures them
 *   npm run load:ingest -- --base-url … --token …       measures a platform that runs already
 *
 * PROFILE=metering (or gateway) leaves a CPU profile of that process behind.
 */
const { values: given } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    batches: { type: 'string', default: '1,10,100,1000' },
    connections: { type: 'string', default: '1,16,64' },
    /** Numbers of events stored before, at which `sizes` compares ingest. */
    sizes: { type: 'string', default: '10000,10000000' },
    /** Parts of the run: rates in closed and open loops, reads beside ingest, small and large event stores. */
    only: { type: 'string', default: 'closed,open,reads' },
    /** Also shows which statements take PostgreSQL's time. */
    statements: { type: 'boolean', default: false },
    'without-external-ids': { type: 'boolean', default: false },
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
const parts = new Set(given.only.split(','));
const hasExternalIds = !given['without-external-ids'];

/** Time that the processes are given to compile what they run most, seconds. */
const WARM_UP_S = 10;
const isWarmUp = ({ batch, connections }: Cell) => connections === (batch === 1 ? 64 : 16);

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
  const server = await startServer(closing, given.statements);
  if (parts.has('closed') || parts.has('open') || parts.has('reads')) await measureOne(server);
  if (parts.has('sizes')) await measureSizes(server);
}

async function measureOne(server: Server): Promise<void> {
  const platform = await startPlatform(server, 'metering', hasExternalIds, closing);
  process.stdout.write(
    `\n${availableParallelism()} processors, ${rounds} rounds of ${seconds} s, medians; events ${hasExternalIds ? 'with' : 'without'} external ids\n`,
  );
  if (parts.has('closed') || parts.has('open')) await measureRates(server, platform);
  if (parts.has('reads')) printReads(await measureReads(platform, platform.meterPath, seconds, rounds));
}

async function measureRates(server: Server, platform: OwnPlatform): Promise<void> {
  const floor = await startFloor(platform, closing);
  const copy: Written[] = [];
  const insert: Written[] = [];
  const withCpu = async (write: typeof copyBaseline): Promise<Written> => {
    const before = server.cpuMicros();
    const written = await write(platform.databaseUrl, ORGANIZATION, platform.source, seconds);
    const after = server.cpuMicros();
    const isKnown = before !== undefined && after !== undefined;
    return isKnown ? { ...written, cpuPerEvent: (after - before) / written.events } : written;
  };
  const floors: Cell[] = [
    { batch: 1, connections: 64, rounds: [] },
    { batch: 1000, connections: 16, rounds: [] },
  ].filter((floor) =>
    cells.some((cell) => cell.batch === floor.batch && cell.connections === floor.connections),
  );
  for (const cell of floors) await measureCell(floor, { ...cell, rounds: [] }, WARM_UP_S);
  await warmUp(platform);
  for (let round = 0; round < rounds; round += 1) {
    copy.push(await withCpu(copyBaseline));
    insert.push(await withCpu(insertBaseline));
    await settle(server, platform);
    for (const cell of cells) {
      const counterpart = floors.find(
        ({ batch, connections }) => batch === cell.batch && connections === cell.connections,
      );
      if (counterpart) await measureCell(floor, counterpart, seconds);
      await measureCell(platform, cell, seconds);
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  if (parts.has('open')) {
    for (const cell of cells) await measureCell(platform, cell, seconds * rounds, { isOpen: true });
  }
  printCells(cells, floors);
  printComparison({ copy, insert, cells, floors });
  if (given.statements) await measureStatements(platform);
}

async function warmUp(platform: Platform): Promise<void> {
  for (const cell of cells.filter(isWarmUp)) await measureCell(platform, { ...cell, rounds: [] }, WARM_UP_S);
}

async function measureStatements(platform: OwnPlatform): Promise<void> {
  for (const { batch, connections } of cells) {
    const cell: Cell = { batch, connections, rounds: [] };
    await countStatements(platform.db);
    await measureCell(platform, cell, seconds);
    process.stdout.write(`\nbatches of ${batch}, ${connections} connections\n`);
    await printStatements(platform.db, cell.rounds[0]!.events);
  }
}

/** Two event stores on one server, in turns. */
async function measureSizes(server: Server): Promise<void> {
  const size = async (stored: number, database: string) => {
    const platform = await startPlatform(server, database, hasExternalIds, closing);
    await storeMore(platform.databaseUrl, stored, platform.source.customers);
    return { stored, platform, cells: cells.map((cell): Cell => ({ ...cell, rounds: [] })) };
  };
  const [few, many] = numbers(given.sizes);
  const small = await size(few!, 'metering_small');
  const large = await size(many!, 'metering_large');
  for (const { platform } of [small, large]) await warmUp(platform);
  for (const { platform } of [small, large]) await settle(server, platform);
  for (let round = 0; round < rounds; round += 1) {
    const inTurns = round % 2 === 0 ? [small, large] : [large, small];
    for (const { platform, cells } of inTurns) {
      for (const cell of cells) await measureCell(platform, cell, seconds);
    }
  }
  printSizes(small, large);
}

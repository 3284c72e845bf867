import { type EventSource, makeEvents } from './events.ts';
import { closedLoop, openLoop, type Posted, requestBytes, type Target } from './posts.ts';
import { startReader } from './reader.ts';

export interface Platform {
  ingest: Target;
  source: EventSource;
  /** Processor time of gateway, service and PostgreSQL so far, microseconds; undefined where it is not known. */
  cpu(): Promise<(number | undefined)[]>;
}

/** One batch size at one number of connections. */
export interface Cell {
  batch: number;
  connections: number;
  rounds: Measured[];
  /** Latencies at a fixed rate below the most that the closed loop reached. */
  open?: Posted & { perSecond: number };
}

export interface Measured extends Posted {
  events: number;
  /** Microseconds per event in gateway, service and PostgreSQL. */
  cpuPerEvent: (number | undefined)[];
}

/** Bodies are made before the clock starts, so many of them: the most that a second can take. */
const MOST_EVENTS_PER_SECOND = 90_000;
const MOST_REQUESTS_PER_SECOND = 8_000;
/** Share of the closed loop's rate at which latencies are taken. */
const OPEN_SHARE = 0.6;

/** Measures a cell once: in a closed loop, or, once that rate is known, in an open one. */
export async function measureCell(
  platform: Platform,
  cell: Cell,
  seconds: number,
  { isOpen = false } = {},
): Promise<void> {
  const measure = isOpen ? prepareOpen(platform, cell, seconds) : prepareClosed(platform, cell, seconds);
  await measure();
}

function prepareOpen(platform: Platform, cell: Cell, seconds: number): () => Promise<void> {
  const perSecond = OPEN_SHARE * medianOf(cell.rounds.map((round) => round.requests / round.seconds));
  const ready = bodies(platform, cell.batch, Math.max(1, Math.floor(perSecond * seconds)));
  return async () => {
    cell.open = { ...(await openLoop(platform.ingest, cell.connections, perSecond, ready)), perSecond };
  };
}

function prepareClosed(platform: Platform, cell: Cell, seconds: number): () => Promise<void> {
  const { batch, connections } = cell;
  const most = Math.min(MOST_REQUESTS_PER_SECOND, Math.ceil(MOST_EVENTS_PER_SECOND / batch)) * seconds;
  const ready = bodies(platform, batch, Math.ceil(most));
  return async () => {
    const before = await platform.cpu();
    const posted = await closedLoop(platform.ingest, connections, seconds, () => ready.pop());
    const after = await platform.cpu();
    const events = posted.requests * batch;
    const cpuPerEvent = after.map((used, place) => {
      const since = before[place];
      return used === undefined || since === undefined ? undefined : (used - since) / events;
    });
    cell.rounds.push({ ...posted, events, cpuPerEvent });
  };
}

const bodies = ({ ingest, source }: Platform, batch: number, count: number): Buffer[] =>
  Array.from({ length: count }, () =>
    requestBytes(ingest, JSON.stringify({ events: makeEvents(batch, source) })),
  );

export interface Reads {
  atRest: number[];
  duringIngest: number[];
}

/** Latencies of reads of a customer meter at one rate, in turns at rest and while ingest takes all it can. */
export async function measureReads(
  platform: Platform,
  path: string,
  seconds: number,
  rounds: number,
): Promise<Reads> {
  const target = { ...platform.ingest, path };
  const reader = startReader();
  const read = () => reader.read(target, seconds);
  const reads: Reads = { atRest: [], duringIngest: [] };
  await read();
  for (let round = 0; round < rounds; round += 1) {
    reads.atRest.push(...(await read()));
    const ingest = prepareClosed(platform, { batch: 1000, connections: 16, rounds: [] }, seconds + 1);
    const ingested = ingest();
    reads.duringIngest.push(...(await read()));
    await ingested;
  }
  reader.stop();
  return reads;
}

export const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

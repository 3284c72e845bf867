import { percentile } from '../percentile.ts';
import type { Written } from './baselines.ts';
import { type Cell, medianOf, type Reads } from './measure.ts';

const GOALS = { copy: 0.6, floor: 0.8, reads: 3, sizes: 0.9 };

const print = (line: string) => process.stdout.write(`${line}\n`);
const whole = (value: number) => Math.round(value).toLocaleString('en');
const fixed = (value: number | undefined, digits = 1) => (value === undefined ? '-' : value.toFixed(digits));

const eventsPerSecond = (cell: Cell) => medianOf(cell.rounds.map((round) => round.events / round.seconds));
const requestsPerSecond = (cell: Cell) =>
  medianOf(cell.rounds.map((round) => round.requests / round.seconds));

/** A row for each batch size and number of connections: closed loop, processor time, open loop. */
export function printCells(cells: readonly Cell[], floors: readonly Cell[] | undefined): void {
  print(
    '\n| batch | connections | events/s | requests/s | p50 ms | p99 ms | CPU us/event gateway | service | PostgreSQL | open loop at/s | p50 | p99 | p99.9 | failed |',
  );
  print('|---|---|---|---|---|---|---|---|---|---|---|---|---|---|');
  for (const cell of floors ?? []) print(row(cell, 'floor '));
  for (const cell of cells) print(row(cell, ''));
}

function row(cell: Cell, label: string): string {
  const latencies = cell.rounds.flatMap((round) => round.latencies);
  const cpu = [0, 1, 2].map((place) => {
    const known = cell.rounds.flatMap((round) => round.cpuPerEvent[place] ?? []);
    return known.length === 0 ? undefined : medianOf(known);
  });
  const failures = cell.rounds.reduce((sum, round) => sum + round.failures, cell.open?.failures ?? 0);
  const open = cell.open;
  return `| ${[
    `${label}${cell.batch}`,
    cell.connections,
    whole(eventsPerSecond(cell)),
    whole(requestsPerSecond(cell)),
    fixed(percentile(latencies, 50), 2),
    fixed(percentile(latencies, 99), 2),
    ...cpu.map((micros) => fixed(micros)),
    open ? whole(open.perSecond) : '-',
    ...[50, 99, 99.9].map((percent) => (open ? fixed(percentile(open.latencies, percent), 2) : '-')),
    failures,
  ].join(' | ')} |`;
}

export function printComparison({
  copy,
  insert,
  cells,
  floors,
}: {
  copy: readonly Written[];
  insert: readonly Written[];
  cells: readonly Cell[];
  floors: readonly Cell[];
}): void {
  const rate = (rounds: readonly Written[]) => medianOf(rounds.map((round) => round.events / round.seconds));
  const cpu = (rounds: readonly Written[]) => {
    const known = rounds.flatMap((round) => round.cpuPerEvent ?? []);
    return known.length === 0 ? '' : `, ${fixed(medianOf(known))} us/event in PostgreSQL`;
  };
  print(`\nraw COPY, 4 connections: ${whole(rate(copy))} events/s${cpu(copy)}`);
  print(`one INSERT per event, 16 connections: ${whole(rate(insert))} events/s${cpu(insert)}`);
  const thousands = cells.filter((cell) => cell.batch === 1000).map(eventsPerSecond);
  if (thousands.length > 0) {
    const best = Math.max(...thousands);
    print(
      `batches of 1000, best: ${whole(best)} events/s, ${fixed(best / rate(copy), 2)} of COPY (goal ${GOALS.copy})`,
    );
  }
  const ones = cells.find((cell) => cell.batch === 1 && cell.connections === 64);
  const floor = floors.find((cell) => cell.batch === 1);
  if (ones && floor) {
    const perSecond = (cell: Cell) => cell.rounds.map((round) => round.requests / round.seconds);
    const shares = perSecond(ones).map((rate, round) => rate / perSecond(floor)[round]!);
    print(
      `batches of 1, 64 connections: ${whole(requestsPerSecond(ones))} requests/s, ${fixed(medianOf(shares), 2)} of the floor's ${whole(requestsPerSecond(floor))}, round by round (${shares.map((share) => fixed(share, 2)).join(' ')}; goal ${GOALS.floor})`,
    );
  }
}

export function printReads({ atRest, duringIngest }: Reads): void {
  const at = (latencies: readonly number[]) =>
    [50, 99].map((percent) => fixed(percentile(latencies, percent), 2)).join(' / ');
  const times = percentile(duringIngest, 99) / percentile(atRest, 99);
  print(
    `\nreading a customer meter, p50 / p99 of ${atRest.length} each: ${at(atRest)} ms at rest, ${at(duringIngest)} ms during full ingest; p99 ${fixed(times, 1)} times (goal at most ${GOALS.reads})`,
  );
}

/** The same ingest into a small and a large event store. */
export function printSizes(
  few: { stored: number; cells: Cell[] },
  many: { stored: number; cells: Cell[] },
): void {
  for (const { stored, cells } of [few, many]) {
    print(`\nwith ${whole(stored)} events stored`);
    printCells(cells, undefined);
  }
  for (const [place, cell] of many.cells.entries()) {
    const share = eventsPerSecond(cell) / eventsPerSecond(few.cells[place]!);
    print(
      `batches of ${cell.batch}: at ${whole(many.stored)} stored events ${fixed(share, 2)} of the rate at ${whole(few.stored)} (goal ${GOALS.sizes})`,
    );
  }
}

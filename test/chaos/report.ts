import type { Reconciliation } from './reconcile.ts';

/** One line of the table: what was done, and what became of what had been acknowledged meanwhile. */
export interface Outcome {
  fault: string;
  reconciliation: Reconciliation;
  kills: number;
  /** Requests per second that were sent while the load was on. */
  load: number;
  sent: number;
  failed: number;
  /** Time from the end of the load until everything had come out right, or was given up, in milliseconds. */
  settledMs: number;
  note: string;
  /** What is wrong besides what the reconciliation says, one line each. */
  wrong: string[];
}

const LINES_OF_A_KIND = 10;
const columns = ['acknowledged', 'found', 'lost', 'doubled'] as const;
const widths = [26, 12, 7, 5, 7, 5, 5, 13, 7, 6] as const;

const row = (cells: readonly unknown[]) =>
  cells
    .map((cell, index) =>
      index === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[index] ?? 0),
    )
    .join('  ')
    .trimEnd();

export const heading = row(['fault', ...columns, 'kills', 'req/s', 'failed', 'settled', 'parked', 'remarks']);

/** The line of one fault; what is lost, doubled or otherwise wrong is spelled out below it. */
export function outcomeLines(outcome: Outcome): string[] {
  const { fault, reconciliation, kills, load, sent, failed, settledMs, note, wrong } = outcome;
  const settled = `${(settledMs / 1000).toFixed(1)} s`;
  const cells = [kills, load.toFixed(0), `${failed} of ${sent}`, settled, reconciliation.parked.length, note];
  return [
    ...reconciliationLines(fault, reconciliation, cells),
    ...wrong.slice(0, LINES_OF_A_KIND).map((line) => `    ${line}`),
  ];
}

export function reconciliationLines(
  name: string,
  { counts, faults, parked }: Reconciliation,
  cells: readonly unknown[] = [],
): string[] {
  const total = (column: (typeof columns)[number]) =>
    Object.values(counts).reduce((sum, count) => sum + count[column], 0);
  return [
    row([name, ...columns.map(total), ...cells]),
    ...Object.entries(counts)
      .filter(([, { lost, doubled }]) => lost + doubled > 0)
      .map(([what, { lost, doubled }]) => `    ${what}: ${lost} lost, ${doubled} doubled`),
    ...faults.slice(0, LINES_OF_A_KIND).map((line) => `    ${line}`),
    ...[...Map.groupBy(parked, ({ consumer }) => consumer)].map(
      ([consumer, of]) => `    parked by ${consumer}: ${of.length}, such as ${of[0]!.line}`,
    ),
  ];
}

import type { Reconciliation } from './reconcile.ts';

/** One line of the table: what was done, and what became of what had been acknowledged meanwhile. */
export interface Outcome {
  fault: string;
  reconciliation: Reconciliation;
  /** Time until everything had come out right, or was given up. */
  settledMs: number;
  note?: string;
}

const columns = ['acknowledged', 'found', 'lost', 'doubled'] as const;

/** The line of one fault; what is lost, doubled or otherwise wrong is spelled out below it. */
export function outcomeLines({ fault, reconciliation, settledMs, note }: Outcome): string[] {
  const { counts, faults, parked } = reconciliation;
  const total = (column: (typeof columns)[number]) =>
    Object.values(counts).reduce((sum, count) => sum + count[column], 0);
  const numbers = columns.map((column) => `${column} ${String(total(column)).padStart(6)}`).join('  ');
  const seconds = `settled in ${(settledMs / 1000).toFixed(1)} s`;
  const aside = parked.length === 0 ? '' : `, ${parked.length} parked`;
  return [
    `${fault.padEnd(44)} ${numbers}  ${seconds}${aside}${note ? `, ${note}` : ''}`,
    ...Object.entries(counts)
      .filter(([, { lost, doubled }]) => lost + doubled > 0)
      .map(([what, { lost, doubled }]) => `    ${what}: ${lost} lost, ${doubled} doubled`),
    ...faults.slice(0, 10).map((line) => `    ${line}`),
    ...parked.slice(0, 10).map((line) => `    parked: ${line}`),
  ];
}

import type { Check } from '@tributary/runtime/reconciliation/report.ts';
import { checksAcross } from './across.ts';
import type { Answer } from './ask.ts';

const HEADING = ['service', 'what must hold', 'expected', 'found', 'difference', ''];
/** Columns that hold numbers. */
const RIGHT = new Set([2, 3, 4]);

/** Every service was asked, all of its books are in order, and they agree with each other. */
export const isInOrder = (answers: readonly Answer[]): boolean =>
  answers.every((answer) => 'report' in answer && answer.report.ok) &&
  checksAcross(answers).every(({ check }) => check.ok);

/** One line for each check, where to look below those that fail, then what else is worth knowing. */
export function tableOf(answers: readonly Answer[]): string[] {
  const across = checksAcross(answers);
  const rows = [...answers.flatMap(rowsOf), ...across.map(({ service, check }) => rowOf(service, check))];
  const widths = HEADING.map((title, column) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        RIGHT.has(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  return [
    line(HEADING),
    ...rows.flatMap(({ cells, detail }) => [line(cells), ...(detail ? [`    ${detail}`] : [])]),
    '',
    ...answers.flatMap(figuresOf),
    '',
    summary(
      answers,
      across.map(({ check }) => check),
    ),
  ];
}

interface Row {
  cells: string[];
  detail?: string;
}

function rowsOf(answer: Answer): Row[] {
  if ('trouble' in answer) return [{ cells: [answer.service, answer.trouble, '', '', '', 'UNKNOWN'] }];
  return answer.report.checks.map((check) => rowOf(answer.service, check));
}

const rowOf = (service: string, check: Check): Row => ({
  cells: [service, check.name, check.expected, check.found, check.difference, verdict(check)],
  detail: check.ok ? undefined : check.detail,
});

const verdict = ({ ok, found }: Check): string => (ok ? 'ok' : found === 'unknown' ? 'UNKNOWN' : 'DIFFERS');

const figuresOf = (answer: Answer): string[] =>
  'report' in answer
    ? answer.report.figures.map(({ name, value }) => `${answer.service}  ${name}: ${value}`)
    : [];

function summary(answers: readonly Answer[], across: readonly Check[]): string {
  const own = answers.flatMap((answer) => ('report' in answer ? answer.report.checks : []));
  const checks = [...own, ...across];
  const wrong = checks.filter((check) => !check.ok).length;
  const silent = answers.filter((answer) => 'trouble' in answer).length;
  const asked = `${answers.length} services, ${checks.length} checks`;
  if (wrong === 0 && silent === 0) return `${asked}: everything adds up.`;
  return `${asked}: ${wrong} do not hold, ${silent} services say nothing.`;
}

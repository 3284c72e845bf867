import { parseDecimal, toWire } from '../decimal.ts';
import type { RecordCount } from './records.ts';

/** A figure without a loss: sums of money and counts outgrow JavaScript's numbers. Decimal text. */
export type Exact = string | number | bigint;

/** Something that must hold, and whether it does. Numbers are decimal text. */
export interface Check {
  name: string;
  expected: string;
  /** `unknown` when there was no time to find out, or no way to. */
  found: string;
  /** Found less expected. */
  difference: string;
  ok: boolean;
  /** Where to look: ids of a few records, names of consumers. Never what the records say. */
  detail?: string;
}

/** Something worth knowing that nothing is expected of. */
export interface Figure {
  name: string;
  value: string;
}

export interface Findings {
  checks?: Check[];
  figures?: Figure[];
  records?: RecordCount[];
}

/** What one service says of its own books. */
export interface Report {
  service: string;
  /** What happened before this instant must have arrived where it belongs. */
  before: string;
  took_ms: number;
  /** Every check holds. */
  ok: boolean;
  checks: Check[];
  figures: Figure[];
  /** For whoever has the reports of other services, too. */
  records: RecordCount[];
}

/** Two ways to the same number. @throws RangeError when one of them is no decimal */
export function equal(name: string, expected: Exact, found: Exact, detail?: string): Check {
  const [wanted, is] = [parseDecimal(String(expected)), parseDecimal(String(found))];
  const difference = is.minus(wanted);
  return {
    name,
    expected: toWire(wanted),
    found: toWire(is),
    difference: toWire(difference),
    ok: difference.eq(0),
    ...(detail ? { detail } : {}),
  };
}

/** There must be no such record. @param examples names of a few of them */
export const none = (name: string, found: Exact, examples: readonly string[] = []): Check =>
  equal(name, 0, found, examples.join(', '));

/** Nobody knows whether it holds, which is no good news. */
export const unknown = (name: string, why: string): Check => ({
  name,
  expected: '',
  found: 'unknown',
  difference: '',
  ok: false,
  detail: why,
});

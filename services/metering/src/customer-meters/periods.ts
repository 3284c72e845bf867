import { parseDecimal, toWire } from '@tributary/runtime/decimal.ts';
import type { AggregationFunction } from '../meters/schema.ts';
import type { TotalsRow } from './measure-store.ts';

export const NOTHING: TotalsRow = {
  measured_count: 0,
  measured_sum: '0',
  measured_max: null,
  measured_min: null,
  distinct_count: 0,
  first_event_at: null,
  last_event_at: null,
};

/** Totals from which a part can be taken away again: knowing the part is enough to know the rest. */
export const isSummable = (func: AggregationFunction): boolean =>
  func === 'count' || func === 'sum' || func === 'avg';

/** What is left of summable totals without a part of them; extremes mean nothing to such meters and go. */
export const without = (whole: TotalsRow, part: TotalsRow): TotalsRow => ({
  ...whole,
  measured_count: whole.measured_count - part.measured_count,
  measured_sum: toWire(parseDecimal(whole.measured_sum).minus(parseDecimal(part.measured_sum))),
  measured_max: null,
  measured_min: null,
});

/**
 * How many unused units a closing period passes on: what is left of the balance, but no more than was credited with
 * rollover (domain rules 6.3). Whole units.
 */
export function carriedOver(period: { balance: string; rolloverUnits: number }): number {
  const balance = parseDecimal(period.balance);
  if (balance.lte(0) || period.rolloverUnits <= 0) return 0;
  return Math.min(period.rolloverUnits, Number(toWire(balance.round(0, 0))));
}

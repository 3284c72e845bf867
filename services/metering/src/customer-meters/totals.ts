import { hash } from 'node:crypto';
import { type Big, toWire, ZERO } from '@tributary/runtime/decimal.ts';
import { decimalText } from '../filters/property.ts';
import type { Quantity } from '../meters/compile-meter.ts';

/** What some quantities come to, in the form in which it is added to stored totals. Decimals as text. */
export interface Totals {
  count: number;
  sum: string;
  max: string | null;
  min: string | null;
  /** Timestamps of the earliest and the latest, milliseconds since the epoch. */
  first: number;
  last: number;
}

/** One event's share of a meter. */
export interface Entry {
  timestamp: number;
  quantity: Quantity;
}

/** Adds up exactly: integers as long as they stay safe, decimals for everything else. */
export function totalsOf(entries: readonly Entry[]): Totals {
  let whole = 0;
  let rest: Big = ZERO;
  let max: number | Big | undefined;
  let min: number | Big | undefined;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { timestamp, quantity } of entries) {
    if (timestamp < first) first = timestamp;
    if (timestamp > last) last = timestamp;
    if (typeof quantity === 'string') continue;
    if (
      typeof quantity === 'number' &&
      Number.isSafeInteger(quantity) &&
      Number.isSafeInteger(whole + quantity)
    ) {
      whole += quantity;
    } else rest = rest.plus(quantity);
    if (max === undefined || isGreater(quantity, max)) max = quantity;
    if (min === undefined || isGreater(min, quantity)) min = quantity;
  }
  return {
    count: entries.length,
    sum: toWire(rest.plus(whole)),
    max: numberText(max),
    min: numberText(min),
    first,
    last,
  };
}

function isGreater(a: number | Big, b: number | Big): boolean {
  if (typeof a === 'number') return typeof b === 'number' ? a > b : b.lt(a);
  return a.gt(b);
}

const numberText = (value: number | Big | undefined): string | null =>
  value === undefined ? null : typeof value === 'number' ? decimalText(value) : toWire(value);

/** What stands for a value among those `unique` has seen; the same as `valueHashSql` makes of it. */
export function valueHash(value: string): string {
  const hex = hash('sha256', value, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** SQL of `valueHash`. */
export const valueHashSql = (text: string): string =>
  `encode(substring(sha256(convert_to(${text}, 'UTF8')) for 16), 'hex')::uuid`;

/** Averages keep 20 decimals, rounded half away from zero. */
export const AVERAGE_DECIMALS = 20;

/**
 * SQL of the units consumed by a meter's function out of totals: columns `measured_count`, `measured_sum`,
 * `measured_max`, `measured_min` and `distinct_count` of a row; nothing measured is zero.
 * @param func SQL of the function's name
 */
export const consumedSql = (func: string, row: string): string => `case ${func}
    when 'count' then ${row}.measured_count
    when 'sum' then ${row}.measured_sum
    when 'max' then coalesce(${row}.measured_max, 0)
    when 'min' then coalesce(${row}.measured_min, 0)
    when 'unique' then ${row}.distinct_count
    when 'avg' then case when ${row}.measured_count = 0 then 0
      else trim_scale(round(round(${row}.measured_sum, 60) / ${row}.measured_count, ${AVERAGE_DECIMALS})) end
  end`;

/** Columns of totals, as customer meters and earlier periods have them. */
export const TOTALS =
  'measured_count, measured_sum, measured_max, measured_min, distinct_count, first_event_at, last_event_at';

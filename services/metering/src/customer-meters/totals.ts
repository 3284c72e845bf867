import { hash } from 'node:crypto';
import { type Big, toWire, ZERO } from '@tributary/runtime/decimal.ts';
import { decimalText } from '../filters/property.ts';
import type { Quantity } from '../meters/compile-meter.ts';

/**
 * Adds up quantities as they come, exactly: integers as long as they stay safe, decimals for everything else. Texts
 * are just counted.
 */
export class RunningTotals {
  #count = 0;
  #whole = 0;
  #rest: Big = ZERO;
  #max: number | Big | undefined;
  #min: number | Big | undefined;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  add(timestamp: number, quantity: Quantity): void {
    this.#count += 1;
    if (timestamp < this.#first) this.#first = timestamp;
    if (timestamp > this.#last) this.#last = timestamp;
    if (typeof quantity === 'string') return;
    const next = typeof quantity === 'number' ? this.#whole + quantity : Number.NaN;
    if (Number.isSafeInteger(next) && Number.isSafeInteger(quantity)) this.#whole = next;
    else this.#rest = this.#rest.plus(quantity);
    if (this.#max === undefined || isGreater(quantity, this.#max)) this.#max = quantity;
    if (this.#min === undefined || isGreater(this.#min, quantity)) this.#min = quantity;
  }

  get count(): number {
    return this.#count;
  }

  /** Decimal text, as are the extremes. */
  get sum(): string {
    return this.#rest === ZERO ? String(this.#whole) : toWire(this.#rest.plus(this.#whole));
  }

  get max(): string | null {
    return numberText(this.#max);
  }

  get min(): string | null {
    return numberText(this.#min);
  }

  /** Milliseconds since the epoch; infinite before anything was added. */
  get firstAt(): number {
    return this.#first;
  }

  get lastAt(): number {
    return this.#last;
  }
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

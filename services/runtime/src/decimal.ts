import BigJs, { type Big } from 'big.js';

export type { Big } from 'big.js';

/**
 * The one gate to big.js. A constructor of our own, so that nobody else's settings reach it: division keeps 20
 * decimals, and no notation ever uses an exponent.
 */
const Decimal = BigJs();
Decimal.DP = 20;
Decimal.RM = BigJs.roundHalfUp;
Decimal.NE = -1_000_000;
Decimal.PE = 1_000_000;

/** The most digits a decimal may have before and after its point. */
export interface DecimalBounds {
  integerDigits: number;
  fractionDigits: number;
}

/** Wide enough for any sum kept in a `numeric` column, narrow enough that arithmetic stays cheap. */
const WIDEST: DecimalBounds = { integerDigits: 60, fractionDigits: 60 };

export const ZERO: Big = new Decimal(0);

/**
 * Reads a decimal: plain notation for text (no exponent, no blanks, no bare point), any finite number otherwise.
 * @throws RangeError when the value is not a decimal or has more digits than `bounds` allow
 */
export function parseDecimal(value: string | number, bounds: DecimalBounds = WIDEST): Big {
  const parsed = readDecimal(value, bounds);
  if (parsed === undefined) throw new RangeError('not a decimal, or one with too many digits');
  return parsed;
}

/** Whether `parseDecimal` accepts the value. */
export const isDecimal = (value: string | number, bounds: DecimalBounds = WIDEST): boolean =>
  readDecimal(value, bounds) !== undefined;

/** Text of a decimal for the wire and for `numeric` columns: no exponent, no trailing zeros, no negative zero. */
export const toWire = (value: Big): string => (value.eq(0) ? '0' : value.toFixed());

/** The nearest JavaScript number, for wire fields that are numbers. */
export const toNumber = (value: Big): number => Number(toWire(value));

/** The value, or zero where it is negative. */
export const atLeastZero = (value: Big): Big => (value.lt(0) ? ZERO : value);

const PLAIN = /^[+-]?(\d+)(?:\.(\d+))?$/;
/** Longer text is refused before it is looked at. */
const MAX_TEXT = 200;

function readDecimal(value: string | number, bounds: DecimalBounds): Big | undefined {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return undefined;
    const exact = new Decimal(value);
    return fits(toWire(exact), bounds) ? exact : undefined;
  }
  return value.length <= MAX_TEXT && fits(value, bounds) ? new Decimal(value.replace('+', '')) : undefined;
}

function fits(text: string, bounds: DecimalBounds): boolean {
  const parts = PLAIN.exec(text);
  if (parts === null) return false;
  const integer = parts[1]!.replace(/^0+/, '');
  const fraction = (parts[2] ?? '').replace(/0+$/, '');
  return integer.length <= bounds.integerDigits && fraction.length <= bounds.fractionDigits;
}

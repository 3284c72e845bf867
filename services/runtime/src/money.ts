import {
  type Currency,
  DEFAULT_MAXIMUM_CHARGE,
  DEFAULT_MINIMUM_CHARGE,
  maximumCharges,
  minimumCharges,
  presentmentCurrencies,
  zeroDecimalCurrencies,
} from './currencies.ts';
import { atLeastZero, type Big, toNumber } from './decimal.ts';

/** A quotient kept as its two parts, so that nothing is lost before money is rounded. */
export interface Fraction {
  numerator: number;
  denominator: number;
}

const accepted: ReadonlySet<string> = new Set(presentmentCurrencies);
const HALF_AWAY_FROM_ZERO = 1;
const BASIS_POINTS = 10_000;

/** Whether prices and payments are accepted in the currency. */
export const isPresentmentCurrency = (code: string): code is Currency => accepted.has(code);

/** Digits after the point of a currency's amounts: 0 or 2. */
export const minorDigits = (currency: string): 0 | 2 => (zeroDecimalCurrencies.has(currency) ? 0 : 2);

/** The smallest amount that can be charged, in minor units. */
export const minimumCharge = (currency: string): number =>
  minimumCharges.get(currency) ?? DEFAULT_MINIMUM_CHARGE;

/** The largest amount that can be charged, in minor units. */
export const maximumCharge = (currency: string): number =>
  maximumCharges.get(currency) ?? DEFAULT_MAXIMUM_CHARGE;

/**
 * The rounding of money, everywhere: nearest integer, exact halves away from zero (8.5 to 9, -8.5 to -9).
 * @throws RangeError beyond 2^53, where minor units would no longer be exact
 */
export function roundHalfAwayFromZero(value: Big): number {
  return exactInteger(toNumber(value.round(0, HALF_AWAY_FROM_ZERO)));
}

/** `amount × fraction`, rounded half away from zero; exact up to that rounding. */
export function portionOf(amount: number, fraction: Fraction): number {
  return fromBigInt(
    divideRounded(toBigInt(amount) * toBigInt(fraction.numerator), toBigInt(fraction.denominator)),
  );
}

/** `basisPoints` hundredths of a percent of an amount, rounded half away from zero. */
export const percentageOf = (amount: number, basisPoints: number): number =>
  portionOf(amount, { numerator: basisPoints, denominator: BASIS_POINTS });

/**
 * Splits `total` in proportion to `weights`: the shares sum to it exactly and each is less than one unit from its
 * exact value (largest remainder; of equal remainders the earlier share takes the unit). A negative total gives the
 * negated shares of the positive one. Weights that are all zero count as equal.
 * @param weights integers, zero or more
 */
export function allocate(total: number, weights: readonly number[]): number[] {
  const parts = weights.map(toBigInt);
  if (parts.some((part) => part < 0n)) throw new RangeError('a weight is negative');
  if (parts.length === 0) {
    if (total === 0) return [];
    throw new RangeError('an amount cannot be split into no shares');
  }
  const sum = parts.reduce((left, right) => left + right, 0n);
  if (sum === 0n)
    return allocate(
      total,
      weights.map(() => 1),
    );
  const magnitude = toBigInt(Math.abs(total));
  const shares = parts.map((part) => (magnitude * part) / sum);
  const missing = Number(magnitude - shares.reduce((left, right) => left + right, 0n));
  const remainder = (index: number) => (magnitude * parts[index]!) % sum;
  const neediest = shares
    .map((_, index) => index)
    .sort((a, b) => (remainder(a) === remainder(b) ? a - b : remainder(a) > remainder(b) ? -1 : 1));
  for (const index of neediest.slice(0, missing)) shares[index]! += 1n;
  return shares.map((share) => fromBigInt(total < 0 ? -share : share));
}

/**
 * The one place where metered units become money: `units × unitAmount` minor units, rounded half away from zero,
 * at most `cap`. Negative units cost nothing. A product beyond 2^53 is answered with 2^53 - 1, which is above the
 * largest chargeable amount of every currency and so is refused when charged, but can still be shown.
 * @param unitAmount minor units for one unit
 * @param cap minor units, or null for none
 */
export function unitsToMoney(units: Big, unitAmount: Big, cap: number | null): number {
  const exact = atLeastZero(units).times(unitAmount);
  const amount = exact.gte(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : roundHalfAwayFromZero(exact);
  return cap === null ? amount : Math.min(amount, cap);
}

const formats = new Map<string, Intl.NumberFormat>();

/** An amount for people, in English: `$10.00`, `¥500`, `-CHF 3.50`. */
export function formatMoney(amount: number, currency: string): string {
  const digits = minorDigits(currency);
  const sign = amount < 0 ? '-' : '';
  const minor = exactInteger(Math.abs(amount))
    .toString()
    .padStart(digits + 1, '0');
  const major = digits === 0 ? minor : `${minor.slice(0, -digits)}.${minor.slice(-digits)}`;
  return formatOf(currency, digits).format(`${sign}${major}` as Intl.StringNumericLiteral);
}

/** One formatter per accepted currency; they are slow to make. */
function formatOf(currency: string, digits: number): Intl.NumberFormat {
  const known = formats.get(currency);
  if (known) return known;
  const made = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  if (accepted.has(currency)) formats.set(currency, made);
  return made;
}

function divideRounded(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('a denominator must be positive');
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return numerator < 0n ? -rounded : rounded;
}

const toBigInt = (value: number): bigint => BigInt(exactInteger(value));

const fromBigInt = (value: bigint): number => exactInteger(Number(value));

/** The integer itself, never negative zero. */
function exactInteger(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not an exact amount`);
  return value + 0;
}

import { type Measured, type PropertyValue, propertyPath, propertyReader, textOf } from './property.ts';
import { type Filter, type FilterClause, type FilterOperator, isClause } from './schema.ts';

export type Predicate = (event: Measured) => boolean;

/** Turns a filter into one function, to be run on every event (domain rules 8.4). */
export function compileFilter(filter: Filter): Predicate {
  const parts = filter.clauses.map((part) => (isClause(part) ? compileClause(part) : compileFilter(part)));
  if (parts.length === 0) return () => true;
  if (parts.length === 1) return parts[0]!;
  return filter.conjunction === 'and'
    ? (event) => parts.every((matches) => matches(event))
    : (event) => parts.some((matches) => matches(event));
}

/** Missing properties and values of another type match no operator, the negative ones included. */
function compileClause({ property, operator, value }: FilterClause): Predicate {
  const path = propertyPath(property);
  const read = propertyReader(path);
  if (path.kind === 'timestamp') {
    return typeof value === 'number' ? held(read, isNumber, operator, value) : never;
  }
  if (path.kind === 'name' || path.kind === 'source') {
    return typeof value === 'string' ? held(read, isAny, operator, value) : never;
  }
  if (typeof value === 'string') return held(read, isAny, operator, value);
  return held(read, typeof value === 'number' ? isNumber : isBoolean, operator, value);
}

const never: Predicate = () => false;
const isAny = () => true;
const isNumber = (value: PropertyValue) => typeof value === 'number' || typeof value === 'object';
const isBoolean = (value: PropertyValue) => typeof value === 'boolean';

function held(
  read: (event: Measured) => PropertyValue | undefined,
  fits: (value: PropertyValue) => boolean,
  operator: FilterOperator,
  expected: string | number | boolean,
): Predicate {
  const holds = comparison(operator, expected);
  return (event) => {
    const actual = read(event);
    return actual !== undefined && fits(actual) && holds(actual);
  };
}

function comparison(
  operator: FilterOperator,
  expected: string | number | boolean,
): (actual: PropertyValue) => boolean {
  switch (operator) {
    case 'eq':
      return (actual) => order(actual, expected) === 0;
    case 'ne':
      return (actual) => order(actual, expected) !== 0;
    case 'gt':
      return (actual) => order(actual, expected) > 0;
    case 'gte':
      return (actual) => order(actual, expected) >= 0;
    case 'lt':
      return (actual) => order(actual, expected) < 0;
    case 'lte':
      return (actual) => order(actual, expected) <= 0;
    case 'like':
      return (actual) => textOf(actual).includes(textOf(expected));
    case 'not_like':
      return (actual) => !textOf(actual).includes(textOf(expected));
  }
}

/** Below, at or above zero: as numbers, as truth values, or, when text is expected, as text by code point. */
function order(actual: PropertyValue, expected: string | number | boolean): number {
  if (typeof expected === 'string') return compareText(textOf(actual), expected);
  if (typeof actual === 'object') return actual.cmp(Number(expected));
  return Number(actual) - Number(expected);
}

/** Order by code point, which is PostgreSQL's collation "C" on UTF-8; JavaScript's own goes by UTF-16 units. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others. */
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

import { isDecimalText, type PropertyPath, propertyPath } from './property.ts';
import { type Filter, type FilterClause, type FilterOperator, isClause } from './schema.ts';

/** Collects a statement's parameters; `bind` returns the placeholder of a value. */
export interface Binder {
  bind(value: unknown): string;
}

const COMPARISONS: Record<Exclude<FilterOperator, 'like' | 'not_like'>, string> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

/**
 * The filter as an SQL condition over a row of events: true for exactly the events that `compileFilter` matches.
 * @param row alias of the events table
 */
export function filterSql(filter: Filter, row: string, binder: Binder): string {
  const parts = filter.clauses.map((part) =>
    isClause(part) ? clauseSql(part, row, binder) : filterSql(part, row, binder),
  );
  if (parts.length === 0) return 'true';
  return `(${parts.join(filter.conjunction === 'and' ? ' and ' : ' or ')})`;
}

function clauseSql({ property, operator, value }: FilterClause, row: string, binder: Binder): string {
  const path = propertyPath(property);
  switch (path.kind) {
    case 'name':
    case 'source':
      return typeof value === 'string' ? textSql(`${row}.${path.kind}`, operator, value, binder) : 'false';
    case 'timestamp':
      return typeof value === 'number' ? numberSql(epochSql(row), operator, value, binder) : 'false';
    default:
      return metadataSql(path, row, operator, value, binder);
  }
}

function metadataSql(
  path: PropertyPath,
  row: string,
  operator: FilterOperator,
  value: string | number | boolean,
  binder: Binder,
): string {
  const { json, text } = locate(path, row, binder);
  if (typeof value === 'string') {
    return `case when ${isScalar(json)} then ${textSql(text, operator, value, binder)} else false end`;
  }
  if (typeof value === 'boolean') {
    const holds =
      operator === 'like' || operator === 'not_like'
        ? textSql(text, operator, String(value), binder)
        : `(${text})::boolean ${COMPARISONS[operator]} ${binder.bind(value)}::boolean`;
    return `case when jsonb_typeof(${json}) = 'boolean' then ${holds} else false end`;
  }
  const type = isDecimalText(path) ? 'string' : 'number';
  return `case when jsonb_typeof(${json}) = '${type}' then ${numberSql(`(${text})::numeric`, operator, value, binder)} else false end`;
}

function textSql(text: string, operator: FilterOperator, value: string, binder: Binder): string {
  const expected = `${binder.bind(value)}::text`;
  if (operator === 'like') return `position(${expected} in ${text}) > 0`;
  if (operator === 'not_like') return `position(${expected} in ${text}) = 0`;
  if (operator === 'eq') return `${text} = ${expected}`;
  return `${text} collate "C" ${COMPARISONS[operator]} ${expected}`;
}

function numberSql(number: string, operator: FilterOperator, value: number, binder: Binder): string {
  if (operator === 'like' || operator === 'not_like') {
    return textSql(`${number}::text`, operator, String(value), binder);
  }
  return `${number} ${COMPARISONS[operator]} ${binder.bind(value)}::numeric`;
}

const isScalar = (json: string) => `jsonb_typeof(${json}) in ('string', 'number', 'boolean')`;

const epochSql = (row: string) => `trim_scale(extract(epoch from ${row}.timestamp))`;

function locate(path: PropertyPath, row: string, binder: Binder): { json: string; text: string } {
  if (path.kind === 'typed') {
    const steps = `array[${binder.bind(path.object)}::text, ${binder.bind(path.key)}::text]`;
    return { json: `${row}.metadata #> ${steps}`, text: `${row}.metadata #>> ${steps}` };
  }
  if (path.kind !== 'metadata') throw new TypeError(`${path.kind} is not in the metadata`);
  const key = `${binder.bind(path.key)}::text`;
  return { json: `${row}.metadata -> ${key}`, text: `${row}.metadata ->> ${key}` };
}

/** The property as text, null where the event has none: what distinct counting goes by. */
export function propertyTextSql(property: string, row: string, binder: Binder): string {
  const path = propertyPath(property);
  if (path.kind === 'name' || path.kind === 'source') return `${row}.${path.kind}`;
  if (path.kind === 'timestamp') return `${epochSql(row)}::text`;
  const { json, text } = locate(path, row, binder);
  return `case when ${isScalar(json)} then ${text} end`;
}

/** The property as a number, null where it is none: what sums and extremes go by. */
export function propertyNumberSql(property: string, row: string, binder: Binder): string {
  const path = propertyPath(property);
  if (path.kind === 'name' || path.kind === 'source') return 'null::numeric';
  if (path.kind === 'timestamp') return epochSql(row);
  const { json, text } = locate(path, row, binder);
  const type = isDecimalText(path) ? 'string' : 'number';
  return `case when jsonb_typeof(${json}) = '${type}' then (${text})::numeric end`;
}

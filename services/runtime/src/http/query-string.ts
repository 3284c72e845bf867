type Values = string | string[];
/** A query string, read: repeated names become lists, `name[key]=value` becomes a nested object. */
export type RawQuery = Record<string, Values | Record<string, Values>>;

const MAX_PARAMETERS = 1000;
/** The key is all that lies between the first bracket and the last: it may hold brackets itself. */
const DEEP = /^([^[\]]+)\[(.*)\]$/s;

/** Reads the query string of a request target. Objects have no prototype: any name is data. */
export function readQuery(target: string): RawQuery {
  const query: RawQuery = Object.create(null);
  const start = target.indexOf('?');
  if (start < 0) return query;
  let count = 0;
  for (const [name, value] of new URLSearchParams(target.slice(start + 1))) {
    count += 1;
    if (count > MAX_PARAMETERS) break;
    const deep = DEEP.exec(name);
    if (!deep) {
      if (typeof query[name] !== 'object' || Array.isArray(query[name])) append(query, name, value);
      continue;
    }
    const nested = nestedObject(query, deep[1]!);
    if (nested) append(nested, deep[2]!, value);
  }
  return query;
}

function nestedObject(query: RawQuery, name: string): Record<string, Values> | undefined {
  query[name] ??= Object.create(null) as Record<string, Values>;
  const nested = query[name];
  return typeof nested === 'string' || Array.isArray(nested) ? undefined : nested;
}

function append(target: Record<string, unknown>, name: string, value: string): void {
  const before = target[name] as Values | undefined;
  target[name] = before === undefined ? value : [before, value].flat();
}

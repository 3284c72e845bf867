import { type Big, parseDecimal, toWire } from '@tributary/runtime/decimal.ts';

/** What filters and aggregations read of an event. */
export interface Measured {
  name: string;
  source: 'user' | 'system';
  /** Milliseconds since the epoch. */
  timestamp: number;
  metadata: Readonly<Record<string, unknown>>;
}

/** A value that clauses can be held against; a decimal where a JavaScript number would lose digits. */
export type PropertyValue = string | number | boolean | Big;

/** Where a property lies: a field of the event itself, a key of its metadata, or a key of a typed object in there. */
export type PropertyPath =
  | { readonly kind: 'name' | 'source' | 'timestamp' }
  | { readonly kind: 'metadata'; readonly key: string }
  | { readonly kind: 'typed'; readonly object: '_cost' | '_llm'; readonly key: string };

const PREFIX = 'metadata.';
const TYPED = /^(_cost|_llm)\.(.+)$/s;

/** Domain rules 8.4: a leading `metadata.` is dropped, dots lead into the typed keys and mean nothing elsewhere. */
export function propertyPath(property: string): PropertyPath {
  if (property === 'name' || property === 'source' || property === 'timestamp') return { kind: property };
  const key = property.startsWith(PREFIX) ? property.slice(PREFIX.length) : property;
  const typed = TYPED.exec(key);
  return typed
    ? { kind: 'typed', object: typed[1] as '_cost' | '_llm', key: typed[2]! }
    : { kind: 'metadata', key };
}

/** Whether the property is a decimal kept as text, so that none of its digits is lost. */
export const isDecimalText = (path: PropertyPath): boolean =>
  path.kind === 'typed' && path.object === '_cost' && path.key === 'amount';

/** Gives the function that reads a property; undefined where the event has none, objects and nulls included. */
export function propertyReader(path: PropertyPath): (event: Measured) => PropertyValue | undefined {
  switch (path.kind) {
    case 'name':
      return (event) => event.name;
    case 'source':
      return (event) => event.source;
    case 'timestamp':
      return (event) => event.timestamp / 1000;
    case 'metadata':
      return (event) => scalar(own(event.metadata, path.key));
    case 'typed': {
      const read = (event: Measured) => scalar(own(own(event.metadata, path.object), path.key));
      if (!isDecimalText(path)) return read;
      return (event) => {
        const text = read(event);
        return typeof text === 'string' ? parseDecimal(text) : undefined;
      };
    }
  }
}

/** A value as text: what `like`, string clauses and distinct counting go by. Equal to PostgreSQL's `->>`. */
export function textOf(value: PropertyValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'object') return toWire(value);
  return decimalText(value);
}

/** Plain decimal notation of a number: no exponent. */
export function decimalText(value: number): string {
  const text = String(value);
  return text.includes('e') ? toWire(parseDecimal(value)) : text;
}

function own(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? (object as Record<string, unknown>)[key]
    : undefined;
}

const scalar = (value: unknown): string | number | boolean | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;

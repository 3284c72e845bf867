import type { Big } from '@tributary/runtime/decimal.ts';
import { compileFilter } from '../filters/filter.ts';
import { type Measured, propertyPath, propertyReader, textOf } from '../filters/property.ts';
import { type Filter, isClause } from '../filters/schema.ts';
import type { Meter } from './meter.ts';
import type { Aggregation, AggregationFunction } from './schema.ts';

/** What one event adds to a meter: a number, or, for `unique`, the text that is told apart. */
export type Quantity = number | Big | string;

/** A meter in the form in which it is held against every ingested event. */
export interface CompiledMeter {
  id: string;
  organization_id: string;
  func: AggregationFunction;
  /** The only name that events of this meter can have, if its filter says so. */
  name: string | undefined;
  /** What the event adds; undefined when it does not match, or has nothing that this meter adds up. */
  measure(event: Measured): Quantity | undefined;
}

export function compileMeter({
  id,
  organization_id,
  filter,
  aggregation,
}: Pick<Meter, 'id' | 'organization_id' | 'filter' | 'aggregation'>): CompiledMeter {
  const matches = compileFilter(filter);
  const quantity = quantityReader(aggregation);
  return {
    id,
    organization_id,
    func: aggregation.func,
    name: nameOf(filter),
    measure: (event) => (matches(event) ? quantity(event) : undefined),
  };
}

/** Numeric aggregations pass over values that are no numbers (domain rules 8.5). */
function quantityReader(aggregation: Aggregation): (event: Measured) => Quantity | undefined {
  if (aggregation.func === 'count') return () => 1;
  const read = propertyReader(propertyPath(aggregation.property));
  if (aggregation.func === 'unique') {
    return (event) => {
      const value = read(event);
      return value === undefined ? undefined : textOf(value);
    };
  }
  return (event) => {
    const value = read(event);
    return typeof value === 'number' || typeof value === 'object' ? value : undefined;
  };
}

function nameOf(filter: Filter): string | undefined {
  if (filter.conjunction !== 'and' && filter.clauses.length !== 1) return undefined;
  for (const part of filter.clauses) {
    if (!isClause(part)) continue;
    if (part.property === 'name' && part.operator === 'eq' && typeof part.value === 'string')
      return part.value;
  }
  return undefined;
}

/** The meters an event may matter to, found by its name instead of by trying them all. */
export function meterLookup(meters: readonly CompiledMeter[]): (name: string) => readonly CompiledMeter[] {
  const unnamed = meters.filter((meter) => meter.name === undefined);
  const byName = new Map<string, CompiledMeter[]>();
  for (const meter of meters) {
    if (meter.name === undefined) continue;
    const known = byName.get(meter.name);
    if (known) known.push(meter);
    else byName.set(meter.name, [...unnamed, meter]);
  }
  return (name) => byName.get(name) ?? unnamed;
}

import type { Measured } from '../filters/property.ts';
import type { CompiledMeter, Quantity } from '../meters/compile-meter.ts';
import { RunningTotals } from './totals.ts';

/** What some events add to one customer's meter. */
export interface Usage {
  meter: CompiledMeter;
  customer_id: string;
  totals: RunningTotals;
  /** The events that make it up, for when they must be told apart by their time. */
  events: Measured[];
}

/** One event's share of a meter. */
export interface Entry {
  timestamp: number;
  quantity: Quantity;
}

export const entriesOf = ({ meter, events }: Usage): Entry[] =>
  events.map((event) => ({ timestamp: event.timestamp, quantity: meter.measure(event)! }));

/** The customer's event, as far as meters are concerned. */
export interface CustomerEvent extends Measured {
  customer_id: string | null;
}

/** Usage by customer and meter, gathered from any number of events. */
export class UsageByMeter {
  readonly #usages = new Map<CompiledMeter, Map<string, Usage>>();

  /** Holds an event against meters of its organization. Events of unknown customers wait for their customer. */
  add(event: CustomerEvent, meters: readonly CompiledMeter[]): void {
    if (event.customer_id === null) return;
    for (const meter of meters) {
      const quantity = meter.measure(event);
      if (quantity === undefined) continue;
      const usage = this.#usageOf(meter, event.customer_id);
      usage.totals.add(event.timestamp, quantity);
      usage.events.push(event);
    }
  }

  #usageOf(meter: CompiledMeter, customer_id: string): Usage {
    const customers = this.#usages.get(meter) ?? new Map<string, Usage>();
    if (customers.size === 0) this.#usages.set(meter, customers);
    const known = customers.get(customer_id);
    if (known) return known;
    const usage = { meter, customer_id, totals: new RunningTotals(), events: [] };
    customers.set(customer_id, usage);
    return usage;
  }

  /** All of it, in the order in which everybody locks customer meters. */
  inLockOrder(): Usage[] {
    return [...this.#usages.values()]
      .flatMap((customers) => [...customers.values()])
      .sort((a, b) => compare(a.meter.id, b.meter.id) || compare(a.customer_id, b.customer_id));
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

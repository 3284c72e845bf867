import type { Measured } from '../filters/property.ts';
import type { CompiledMeter } from '../meters/compile-meter.ts';
import type { Entry } from './totals.ts';

/** What some events add to one customer's meter. */
export interface Usage {
  meter: CompiledMeter;
  customer_id: string;
  entries: Entry[];
}

/** The customer's event, as far as meters are concerned. */
export interface CustomerEvent extends Measured {
  customer_id: string | null;
}

/** Usage by customer and meter, gathered from any number of events. */
export class UsageByMeter {
  readonly #usages = new Map<string, Usage>();

  /** Holds an event against meters of its organization. Events of unknown customers wait for their customer. */
  add(event: CustomerEvent, meters: readonly CompiledMeter[]): void {
    if (event.customer_id === null) return;
    for (const meter of meters) {
      const quantity = meter.measure(event);
      if (quantity === undefined) continue;
      const key = meter.id + event.customer_id;
      const known = this.#usages.get(key);
      const entry = { timestamp: event.timestamp, quantity };
      if (known) known.entries.push(entry);
      else this.#usages.set(key, { meter, customer_id: event.customer_id, entries: [entry] });
    }
  }

  /** All of it, in the order in which everybody locks customer meters. */
  inLockOrder(): Usage[] {
    return [...this.#usages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, usage]) => usage);
  }
}

import { type CompiledMeter, compileMeter, meterLookup } from '../meters/compile-meter.ts';
import type { Meter } from '../meters/meter.ts';
import { RememberedSurroundings } from './remembered-surroundings.ts';

/** Names kept in memory; beyond it they are forgotten and looked up anew. */
const MAX_TYPES = 100_000;
const MAX_ORGANIZATIONS = 10_000;

interface Version {
  organization_id: string;
  meters_version: number;
}

type LiveMeter = Pick<Meter, 'id' | 'organization_id' | 'filter' | 'aggregation'>;

/** The meters that events of a name may matter to. */
export type Lookup = (name: string) => readonly CompiledMeter[];

/**
 * What the process remembers between ingests: compiled meters, by their organization's version, known names, and what
 * earlier events named.
 */
export class Knowledge {
  readonly surroundings = new RememberedSurroundings();
  readonly #meters = new Map<string, { version: number; lookup: Lookup }>();
  readonly #types = new Set<string>();

  /** The organizations' live meters, as far as they were learned and have not changed since. */
  metersOf(organizations: readonly Version[]): Map<string, Lookup> {
    const found = new Map<string, Lookup>();
    for (const { organization_id, meters_version } of organizations) {
      const known = this.#meters.get(organization_id);
      if (known?.version === meters_version) found.set(organization_id, known.lookup);
    }
    return found;
  }

  /** Compiles an organization's live meters. */
  learn({ organization_id, meters_version }: Version, meters: readonly LiveMeter[]): Lookup {
    const lookup = meterLookup(meters.map(compileMeter));
    if (this.#meters.size > MAX_ORGANIZATIONS) this.#meters.clear();
    this.#meters.set(organization_id, { version: meters_version, lookup });
    return lookup;
  }

  /** Names among the events that this process has not seen; it takes them for seen from `remember` on. */
  newTypes(
    events: readonly { organization_id: string; name: string }[],
  ): { organization_id: string; name: string }[] {
    const found = new Map<string, { organization_id: string; name: string }>();
    for (const { organization_id, name } of events) {
      const key = organization_id + name;
      if (!this.#types.has(key) && !found.has(key)) found.set(key, { organization_id, name });
    }
    return [...found.values()];
  }

  /** To be called once the events are committed. */
  remember(types: readonly { organization_id: string; name: string }[]): void {
    if (this.#types.size > MAX_TYPES) this.#types.clear();
    for (const { organization_id, name } of types) this.#types.add(organization_id + name);
  }
}

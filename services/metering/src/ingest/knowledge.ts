import { type CompiledMeter, compileMeter, meterLookup } from '../meters/compile-meter.ts';
import { liveMeters } from '../meters/store.ts';
import type { Sql } from '../sql.ts';

/** Names kept in memory; beyond it they are forgotten and looked up anew. */
const MAX_TYPES = 100_000;
const MAX_ORGANIZATIONS = 10_000;

interface Version {
  organization_id: string;
  meters_version: number;
}

/** The meters that events of a name may matter to. */
export type Lookup = (name: string) => readonly CompiledMeter[];

/** What the process remembers between ingests: compiled meters, by their organization's version, and known names. */
export class Knowledge {
  readonly #meters = new Map<string, { version: number; lookup: Lookup }>();
  readonly #types = new Set<string>();

  /** The organizations' live meters; those that changed since the last time are read and compiled anew. */
  async metersOf(sql: Sql, organizations: readonly Version[]): Promise<Map<string, Lookup>> {
    const found = new Map<string, Lookup>();
    const stale: Version[] = [];
    for (const version of organizations) {
      const known = this.#meters.get(version.organization_id);
      if (known?.version === version.meters_version) found.set(version.organization_id, known.lookup);
      else stale.push(version);
    }
    if (stale.length === 0) return found;
    const ids = stale.filter(({ meters_version }) => meters_version > 0).map((one) => one.organization_id);
    const rows = ids.length === 0 ? [] : await liveMeters(sql, ids);
    const byOrganization = Map.groupBy(rows, (meter) => meter.organization_id);
    if (this.#meters.size > MAX_ORGANIZATIONS) this.#meters.clear();
    for (const { organization_id, meters_version } of stale) {
      const lookup = meterLookup((byOrganization.get(organization_id) ?? []).map(compileMeter));
      this.#meters.set(organization_id, { version: meters_version, lookup });
      found.set(organization_id, lookup);
    }
    return found;
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

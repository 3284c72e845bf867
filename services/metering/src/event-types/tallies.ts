import { instantText } from '../events/instant.ts';
import type { EventSource } from '../events/schema.ts';

/** How often a name was seen, and when; times in milliseconds. */
export interface Tally {
  organization_id: string;
  source: EventSource;
  name: string;
  occurrences: number;
  first: number;
  last: number;
}

/** Counts events by organization and name. */
export class Tallies {
  readonly #byName = new Map<string, Tally>();
  #latest: Tally | undefined;

  add(event: Pick<Tally, 'organization_id' | 'source' | 'name'> & { timestamp: number }): void {
    const { organization_id, source, name, timestamp } = event;
    // Neighbours mostly bear the same name.
    let tally = this.#latest;
    if (tally?.name !== name || tally.organization_id !== organization_id || tally.source !== source) {
      const key = organization_id + source + name;
      tally = this.#byName.get(key);
      if (!tally) {
        tally = { organization_id, source, name, occurrences: 0, first: timestamp, last: timestamp };
        this.#byName.set(key, tally);
      }
      this.#latest = tally;
    }
    tally.occurrences += 1;
    if (timestamp < tally.first) tally.first = timestamp;
    if (timestamp > tally.last) tally.last = timestamp;
  }

  all(): Tally[] {
    return [...this.#byName.values()];
  }
}

const SHARDS = 16;

/** One of the rows that share a name's count, so that writers seldom wait for one another. */
export const anyShard = (): number => Math.floor(Math.random() * SHARDS);

/** What `addTalliesSql` adds. */
export const tallyRows = (tallies: readonly Tally[]): string =>
  JSON.stringify(
    tallies.map(({ first, last, ...tally }) => ({
      ...tally,
      first_seen: instantText(first),
      last_seen: instantText(last),
    })),
  );

/**
 * SQL that adds to the counts of names.
 * @param added parameter with the text of `tallyRows`
 * @param shard parameter with `anyShard()`
 * @param condition under which anything is added at all
 */
export const addTalliesSql = (added: string, shard: string, condition = 'true'): string => `
  insert into event_tallies as tally (organization_id, source, name, shard, occurrences, first_seen, last_seen)
  select organization_id, source, name, ${shard}, occurrences, first_seen, last_seen
  from jsonb_to_recordset(${added}::jsonb) as added(organization_id uuid, source text, name text, occurrences bigint,
    first_seen timestamptz, last_seen timestamptz)
  where ${condition}
  order by organization_id, source, name
  on conflict (organization_id, source, name, shard) do update
    set occurrences = tally.occurrences + excluded.occurrences,
        first_seen = least(tally.first_seen, excluded.first_seen),
        last_seen = greatest(tally.last_seen, excluded.last_seen)`;

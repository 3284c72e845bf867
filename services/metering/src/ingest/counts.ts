import { type Usage, UsageByMeter } from '../customer-meters/usage.ts';
import { Tallies, type Tally } from '../event-types/tallies.ts';
import type { IngestedEvent } from './event-input.ts';
import type { Lookup } from './knowledge.ts';
import { inSlices, SLICE } from './turns.ts';

/** Live meters by organization. */
export type Meters = ReadonlyMap<string, Lookup>;

/** Holds events against the meters: what they come to for customer meters, in the order of locking, and for names. */
export async function countsOf(
  events: readonly IngestedEvent[],
  meters: Meters,
): Promise<{ usages: Usage[]; tallies: Tally[] }> {
  const usage = new UsageByMeter();
  const tallies = new Tallies();
  await inSlices(events, SLICE, (slice) => {
    for (const event of slice) {
      usage.add(event, meters.get(event.organization_id)?.(event.name) ?? []);
      tallies.add(event);
    }
  });
  return { usages: usage.inLockOrder(), tallies: tallies.all() };
}

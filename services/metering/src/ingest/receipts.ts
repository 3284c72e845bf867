import { firstIdOf, idTime } from '@tributary/proto/id.ts';
import type { IngestedEvent } from './event-input.ts';

/** What came in for an organization on a day of storing, UTC: the books that stored events are held against. */
export interface Receipt {
  organization_id: string;
  /** ISO 8601. */
  day: string;
  /** All events of requests that were accepted. */
  received: number;
  /** Those of them that were dropped as repeats. */
  duplicates: number;
}

const DAY_MS = 86_400_000;

/** Counts accepted events, whose ids tell the day. @param repeats places of those that were dropped */
export function receiptsOf(
  events: readonly Pick<IngestedEvent, 'id' | 'organization_id'>[],
  repeats: ReadonlySet<number>,
): Receipt[] {
  const receipts = new Map<string, Receipt>();
  let receipt: Receipt | undefined;
  let [from, to] = ['', ''];
  for (const [place, { id, organization_id }] of events.entries()) {
    // Neighbours mostly are of one organization, and nearly always of one day.
    if (receipt?.organization_id !== organization_id || id < from || id >= to) {
      const start = Math.floor(idTime(id) / DAY_MS) * DAY_MS;
      [from, to] = [firstIdOf(start), firstIdOf(start + DAY_MS)];
      const day = new Date(start).toISOString().slice(0, 10);
      receipt = receipts.get(organization_id + day) ?? { organization_id, day, received: 0, duplicates: 0 };
      receipts.set(organization_id + day, receipt);
    }
    receipt.received += 1;
    if (repeats.has(place)) receipt.duplicates += 1;
  }
  return [...receipts.values()];
}

/**
 * SQL that adds to the receipts.
 * @param added parameter with receipts as JSON
 * @param shard parameter with `anyShard()`
 * @param condition under which anything is added at all
 */
export const addReceiptsSql = (added: string, shard: string, condition = 'true'): string => `
  insert into event_receipts as receipt (organization_id, day, shard, received, duplicates)
  select organization_id, day, ${shard}, received, duplicates
  from jsonb_to_recordset(${added}::jsonb) as added(organization_id uuid, day date, received bigint, duplicates bigint)
  where ${condition}
  order by organization_id, day
  on conflict (organization_id, day, shard) do update
    set received = receipt.received + excluded.received,
        duplicates = receipt.duplicates + excluded.duplicates`;

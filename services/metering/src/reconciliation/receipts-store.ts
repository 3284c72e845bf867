import type { Books, Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf, sameSums } from '@tributary/runtime/reconciliation/parts.ts';
import { equal } from '@tributary/runtime/reconciliation/report.ts';
import { firstIdOf } from '../events/event-id.ts';

const DAY_MS = 86_400_000;
/** Days whose events are counted one by one unless the caller wants more. */
const DAYS = 3;
const MAX_DAYS = 400;
/** How much of the time that is left one day may take. */
const SHARE_OF_A_DAY = 0.3;

/** Each received event was counted under its name, or dropped as a repeat. */
const inSums = sameSums(
  'events: received are repeats and counted',
  `select 'of users' as name,
     (select coalesce(sum(received), 0) from event_receipts)::text as expected,
     ((select coalesce(sum(duplicates), 0) from event_receipts)
       + (select coalesce(sum(occurrences), 0) from event_tallies where source = 'user'))::text as found`,
);

const inEveryOrganization = noneOf(
  'events: organizations where they are not',
  `select organization_id as id
   from (
     select organization_id, received - duplicates as counted from event_receipts
     union all
     select organization_id, -occurrences from event_tallies where source = 'user'
   ) counts
   group by organization_id having sum(counted) <> 0`,
);

/** The events themselves against what was counted, a day after the other into the past. */
const stored: Part = {
  name: 'events: counted are stored',
  async read(books) {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const days = books.since ? Math.ceil((today + DAY_MS - books.since.getTime()) / DAY_MS) : DAYS;
    const wanted = Math.min(MAX_DAYS, Math.max(1, days));
    const checks = [];
    for (let back = 0; back < wanted; back += 1) {
      const start = today - back * DAY_MS;
      const name = `events: counted are stored, ${new Date(start).toISOString().slice(0, 10)}`;
      const row = await books.attempt(SHARE_OF_A_DAY, () => countDay(books, start));
      if (!row) break;
      checks.push(equal(name, row.counted, row.stored));
    }
    return {
      checks,
      figures: [{ name: 'events: days counted one by one', value: `${checks.length} of ${wanted}` }],
    };
  },
};

/** Ids begin with the time of storing, and receipts go by the same day. */
async function countDay(books: Books, start: number): Promise<{ counted: string; stored: number }> {
  const [row] = await books.query<{ counted: string; stored: number }>(
    `select
       (select coalesce(sum(received - duplicates), 0)::text from event_receipts where day = $3::date) as counted,
       (select count(*) from events where id >= $1 and id < $2 and source = 'user') as stored`,
    [firstIdOf(start), firstIdOf(start + DAY_MS), new Date(start).toISOString().slice(0, 10)],
  );
  return row!;
}

export const receiptParts: readonly Part[] = [inSums, inEveryOrganization, stored];

import { firstIdOf } from '@tributary/proto/id.ts';
import type { Books, Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf, sameSums } from '@tributary/runtime/reconciliation/parts.ts';
import { type Check, equal, unknown } from '@tributary/runtime/reconciliation/report.ts';
import { keptFrom } from './kept-from.ts';

const DAY_MS = 86_400_000;
/** Days whose events are counted one by one unless the caller wants more. */
const DAYS = 3;
const MAX_DAYS = 100;
/** How much of the time that is left one day may take. */
const SHARE_OF_A_DAY = 0.3;
const TOO_LONG = 'took too long: give it more seconds';

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
const stored = (retentionMonths: number | undefined): Part => ({
  name: 'events: counted are stored',
  async read(books) {
    const now = new Date();
    const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
    const kept = retentionMonths === undefined ? 0 : keptFrom(now, retentionMonths).getTime();
    const wanted = books.since?.getTime() ?? today - (DAYS - 1) * DAY_MS;
    const first = Math.max(await firstDay(books), wanted - DAY_MS + 1, kept, today - (MAX_DAYS - 1) * DAY_MS);
    const checks: Check[] = [];
    let days = 0;
    for (let start = today; start >= first; start -= DAY_MS, days += 1) {
      const row = await books.attempt(SHARE_OF_A_DAY, () => countDay(books, start));
      if (!row) break;
      const day = new Date(start).toISOString().slice(0, 10);
      checks.push(equal(`events: counted are stored, ${day}`, row.counted, row.stored));
    }
    const isCut = days < Math.floor((today - first) / DAY_MS) + 1;
    return {
      checks: isCut && days === 0 ? [unknown('events: counted are stored', TOO_LONG)] : checks,
      figures: [
        { name: 'events: days counted one by one', value: `${days}${isCut ? ', no time for more' : ''}` },
      ],
    };
  },
});

/** From when on receipts are complete: the day on which counting began is not, where there were events before. */
async function firstDay(books: Books): Promise<number> {
  const [row] = await books.query<{ first: string | null; is_later: boolean }>(
    `select (select min(day)::text from event_receipts where day > '-infinity') as first,
       exists (select from event_receipts where day = '-infinity') as is_later`,
  );
  if (!row!.first) return Number.POSITIVE_INFINITY;
  return Date.parse(row!.first) + (row!.is_later ? DAY_MS : 0);
}

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

/** @param retentionMonths after which events are deleted, but not what was counted */
export const receiptParts = (retentionMonths: number | undefined): readonly Part[] => [
  inSums,
  inEveryOrganization,
  stored(retentionMonths),
];

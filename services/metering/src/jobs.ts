import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import type { Job } from '@tributary/runtime/job.ts';
import type { App } from './app.ts';
import { followChanges } from './customer-meters/changes-store.ts';
import { joinEvents } from './customers/join-events.flow.ts';
import { nextJoin } from './customers/store.ts';
import { dropOldPartition, ensurePartitions } from './events/partitions-store.ts';
import { indexPastMonth } from './events/search-indexes-store.ts';
import { noteFirsts } from './first-events/note-first-events.flow.ts';
import { foldReceipts } from './ingest/fold-receipts-store.ts';
import { linkRecent } from './ingest/parents-store.ts';
import { countMore } from './meters/backfill-meter.flow.ts';
import { metersToCount } from './meters/counting-store.ts';
import { sqlOf } from './sql.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const METERS_AT_ONCE = 10;
const CHANGES_AT_ONCE = 500;
const EVENTS_AT_ONCE = 2_000;
const SEARCHED_AT_ONCE = 10_000;
/** A child and its parent miss each other only when their transactions overlap, which is a matter of seconds. */
const RECENT_MS = 10 * 60_000;

export const jobs = (retentionMonths: number | undefined): Job<App>[] => [
  {
    name: 'backfill-meters',
    everyMs: SECOND_MS,
    async run({ db }, now) {
      const meters = await metersToCount(db.manager, METERS_AT_ONCE);
      let isMore = false;
      for (const id of meters) isMore = (await countMore(db, id, now)) || isMore;
      return isMore;
    },
  },
  {
    name: 'join-events-to-customers',
    everyMs: SECOND_MS,
    async run({ db }, now) {
      const join = await nextJoin(db.manager);
      if (!join) return false;
      await inTransaction(db, (tx) => joinEvents(tx, join, EVENTS_AT_ONCE, now));
      return true;
    },
  },
  {
    name: 'follow-customer-meters',
    everyMs: 2 * SECOND_MS,
    run: ({ db }) => inTransaction(db, (tx) => followChanges(tx, CHANGES_AT_ONCE)),
  },
  {
    name: 'note-first-events',
    everyMs: 5 * SECOND_MS,
    run: ({ db }, now) => inTransaction(db, (tx) => noteFirsts(tx, SEARCHED_AT_ONCE, now)),
  },
  {
    name: 'link-children-to-parents',
    everyMs: 10 * SECOND_MS,
    async run({ db }, now) {
      const since = new Date(now.getTime() - RECENT_MS);
      await inTransaction(db, (tx) => linkRecent(sqlOf(tx), since, EVENTS_AT_ONCE));
      return false;
    },
  },
  {
    name: 'fold-old-receipts',
    everyMs: HOUR_MS,
    run: ({ db }, now) => foldReceipts(db, now, EVENTS_AT_ONCE),
  },
  {
    name: 'make-event-partitions',
    everyMs: HOUR_MS,
    async run({ db }, now) {
      await ensurePartitions(db, now);
      return false;
    },
  },
  { name: 'index-past-months', everyMs: HOUR_MS, run: ({ db }, now) => indexPastMonth(db, now) },
  ...(retentionMonths === undefined
    ? []
    : [
        {
          name: 'drop-old-events',
          everyMs: HOUR_MS,
          run: ({ db }: App, now: Date) => dropOldPartition(db, now, retentionMonths),
        },
      ]),
];

import type { Database } from '@tributary/runtime/db/transaction.ts';

/** Days that are told apart; what is older is kept as one sum for each organization. */
const DAYS = 120;

/** Adds old days' receipts to the day `-infinity`, at most `limit` rows; returns whether more are left. */
export async function foldReceipts(db: Database, now: Date, limit: number): Promise<boolean> {
  const [row]: { folded: number }[] = await db.query(
    `with old as (
       delete from event_receipts where (organization_id, day, shard) in (
         select organization_id, day, shard from event_receipts
         where day > '-infinity' and day < $1::timestamptz::date - $2::integer limit $3 for update skip locked)
       returning organization_id, received, duplicates
     ), added as (
       insert into event_receipts as receipt (organization_id, day, shard, received, duplicates)
       select organization_id, '-infinity', 0, sum(received), sum(duplicates) from old group by organization_id
       on conflict (organization_id, day, shard) do update
         set received = receipt.received + excluded.received, duplicates = receipt.duplicates + excluded.duplicates
     )
     select count(*) as folded from old`,
    [now, DAYS, limit],
  );
  return row!.folded === limit;
}

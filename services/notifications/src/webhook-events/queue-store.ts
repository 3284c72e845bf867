import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import { newId } from '@tributary/proto/id.ts';
import { type Database, inTransaction, type Reader, type Tx } from '@tributary/runtime/db/transaction.ts';
import { LEASE_MS, ORDER_WINDOW_MS, waitMs } from './webhook-event.ts';

interface DueRow {
  id: string;
  ahead: number;
  busy: number;
}

const MAX_AHEAD = ORDER_WINDOW_MS / 300;

/** `busy` also counts the due rows in front, which are about to start. */
const DUE_EVENTS = `
  with due as (
    select id, endpoint_id, position from webhook_events
    where due_at <= $1 order by due_at, position limit $2 for update skip locked
  )
  select due.id,
    (select count(*) from (
       select 1 from webhook_events earlier
       where earlier.endpoint_id = due.endpoint_id and earlier.position < due.position
         and earlier.due_at is not null and earlier.created_at > $3 limit $4) pending) as ahead,
    (select count(*) from webhook_events busy
     where busy.endpoint_id = due.endpoint_id and busy.due_at > $1 and busy.claim_id is not null)
      + row_number() over (partition by due.endpoint_id order by due.position) - 1 as busy
  from due`;

/**
 * Claims due events whose turn it is and puts the others off, looking at no more than `limit` rows.
 * @returns the ids claimed, under one claim id, and whether more rows may be due
 */
export async function claimDueEvents(
  db: Database,
  now: Date,
  limit: number,
): Promise<{ ids: string[]; claimId: string; isMoreDue: boolean }> {
  const after = (ms: number) => new Date(now.getTime() + ms);
  const claimId = newId();
  return inTransaction(db, async (tx) => {
    const rows: DueRow[] = await tx.query(DUE_EVENTS, [now, limit, after(-ORDER_WINDOW_MS), MAX_AHEAD]);
    const waits = rows.map(({ id, ahead, busy }) => ({ id, ms: waitMs(ahead, busy) }));
    const ids = waits.filter(({ ms }) => ms === 0).map(({ id }) => id);
    const late = waits.filter(({ ms }) => ms > 0);
    if (ids.length > 0) {
      await tx.query('update webhook_events set claim_id = $2, due_at = $3 where id = any($1)', [
        ids,
        claimId,
        after(LEASE_MS),
      ]);
    }
    if (late.length > 0) {
      await tx.query(
        `update webhook_events event set claim_id = null, due_at = late.due_at
         from unnest($1::uuid[], $2::timestamptz[]) as late(id, due_at) where event.id = late.id`,
        [late.map(({ id }) => id), late.map(({ ms }) => after(ms))],
      );
    }
    return { ids, claimId, isMoreDue: rows.length === limit };
  });
}

/** All that sending an event takes. */
export interface Dispatch {
  id: string;
  organization_id: string;
  endpoint_id: string;
  claim_id: string;
  type: WebhookEventType;
  failures: number;
  /** Null once archived. */
  body: string | null;
  url: string;
  sealed_secret: string;
  is_listening: boolean;
}

export function findDispatches(
  reader: Pick<Reader, 'query'>,
  ids: readonly string[],
  claimId: string,
): Promise<Dispatch[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return reader.query(
    `select event.id, event.organization_id, event.endpoint_id, event.claim_id, event.type, event.failures, body.body,
       endpoint.url, endpoint.sealed_secret, endpoint.enabled and endpoint.deleted_at is null as is_listening
     from webhook_events event
     join webhook_endpoints endpoint on endpoint.id = event.endpoint_id
     left join webhook_bodies body on body.message_id = event.message_id and body.format = event.format
     where event.id = any($1) and event.claim_id = $2`,
    [ids, claimId],
  );
}

/** Gives up a claim without an attempt: the event is due again at once. */
export const releaseClaim = (db: Database, id: string, claimId: string, now: Date): Promise<unknown> =>
  db.query('update webhook_events set claim_id = null, due_at = $3 where id = $1 and claim_id = $2', [
    id,
    claimId,
    now,
  ]);

/** Lets the endpoint's next event go as soon as the one before it is done, ahead of the end of its wait. */
export const hurryNextEvent = (tx: Tx, endpointId: string, now: Date): Promise<unknown> =>
  tx.query(
    `update webhook_events set due_at = $2 where id = (
       select id from webhook_events
       where endpoint_id = $1 and due_at is not null and claim_id is null and failures = 0
       order by position limit 1) and due_at > $2`,
    [endpointId, now],
  );

import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import { newId } from '@tributary/proto/id.ts';
import {
  boolean,
  integer,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { type Database, inTransaction, type Reader, type Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { EntitySchema } from 'typeorm';
import { inOrganizations } from '../scope.ts';
import type { WebhookFormat } from '../webhook-endpoints/webhook-endpoint.ts';
import { LEASE_MS, ORDER_WINDOW_MS, type WebhookEvent, waitMs } from './webhook-event.ts';

/** PostgreSQL channel on which a commit that queued events wakes whoever sends them. */
export const EVENTS_CHANNEL = 'webhook_events';

export const webhookEvents = new EntitySchema<WebhookEvent>({
  name: 'webhook_events',
  columns: {
    ...recorded,
    organization_id: uuid,
    endpoint_id: uuid,
    message_id: uuid,
    format: text,
    type: text,
    succeeded: nullable(boolean),
    skipped: boolean,
    last_http_code: nullable(integer),
    failures: integer,
    due_at: nullable(timestamp),
    claim_id: nullable(uuid),
  },
});

/** A body that was rendered for a format. */
export interface WebhookBody {
  message_id: string;
  format: WebhookFormat;
  organization_id: string;
  customer_id: string | null;
  occurred_at: string;
  body: string;
}

/** Queues an event for some endpoints, with the body of each of their formats. */
export async function insertWebhookEvents(
  tx: Tx,
  type: string,
  bodies: readonly WebhookBody[],
  endpoints: readonly { id: string; format: WebhookFormat }[],
  now: Date,
): Promise<void> {
  const { message_id, organization_id } = bodies[0]!;
  await tx.query(
    `with body as (
       insert into webhook_bodies (message_id, format, organization_id, customer_id, occurred_at, body)
       select * from jsonb_to_recordset($1::jsonb) as body(
         message_id uuid, format text, organization_id uuid, customer_id uuid, occurred_at timestamptz, body text)
     ), event as (
       insert into webhook_events
         (id, created_at, organization_id, endpoint_id, message_id, format, type, skipped, failures, due_at)
       select id, $5, $6, endpoint_id, $7, format, $8, false, 0, $5
       from unnest($2::uuid[], $3::uuid[], $4::text[]) as endpoint(id, endpoint_id, format)
     )
     select pg_notify('${EVENTS_CHANNEL}', '')`,
    [
      JSON.stringify(bodies),
      endpoints.map(() => newId()),
      endpoints.map((endpoint) => endpoint.id),
      endpoints.map((endpoint) => endpoint.format),
      now,
      organization_id,
      message_id,
      type,
    ],
  );
}

/** Has events that are due looked at once this transaction commits. */
export const wakeSenders = (tx: Pick<Tx, 'query'>) => tx.query(`select pg_notify('${EVENTS_CHANNEL}', '')`);

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

/** The event with its row lock, if the claim still holds. Its endpoint's row must have been locked before. */
export const lockClaimedEvent = (tx: Tx, id: string, claimId: string): Promise<WebhookEvent | null> =>
  tx
    .getRepository(webhookEvents)
    .createQueryBuilder('event')
    .where('event.id = :id and event.claim_id = :claimId', { id, claimId })
    .setLock('for_no_key_update')
    .getOne();

/** The event, if it belongs to one of the organizations. */
export async function getWebhookEvent(
  reader: Reader,
  organizationIds: readonly string[],
  id: string,
): Promise<WebhookEvent> {
  const query = reader
    .getRepository(webhookEvents)
    .createQueryBuilder('event')
    .where('event.id = :id', { id });
  inOrganizations(query, 'event.organization_id', organizationIds);
  const event = await query.getOne();
  if (!event) throw notFound('Webhook event not found');
  return event;
}

/** The event with its row lock. Its endpoint's row must have been locked before. */
export const lockWebhookEvent = (tx: Tx, id: string): Promise<WebhookEvent> =>
  tx
    .getRepository(webhookEvents)
    .createQueryBuilder('event')
    .where('event.id = :id', { id })
    .setLock('for_no_key_update')
    .getOneOrFail();

export async function saveWebhookEvent(tx: Tx, event: WebhookEvent): Promise<void> {
  const { id, ...columns } = event;
  await tx.getRepository(webhookEvents).update(id, columns);
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

/** Gives up everything an endpoint still waits for. An attempt under way keeps its claim and may yet succeed. */
export const skipPendingEvents = (tx: Tx, endpointId: string, now: Date): Promise<unknown> =>
  tx.query(
    `update webhook_events set skipped = true, due_at = null, modified_at = $2
     where endpoint_id = $1 and due_at is not null`,
    [endpointId, now],
  );

export async function hasBody(reader: Pick<Reader, 'query'>, event: WebhookEvent): Promise<boolean> {
  const rows: unknown[] = await reader.query(
    'select 1 from webhook_bodies where message_id = $1 and format = $2',
    [event.message_id, event.format],
  );
  return rows.length > 0;
}

const KEEP_DAYS = 90;
const ARCHIVE_BATCH = 1_000;

/** Drops bodies of events over 90 days old, one bounded batch; returns whether more are left. */
export async function archiveBodies(db: Database, now: Date): Promise<boolean> {
  const [, archived]: [unknown, number] = await db.query(
    `delete from webhook_bodies where (message_id, format) in (
       select message_id, format from webhook_bodies
       where occurred_at < $1::timestamptz - make_interval(days => $2) order by occurred_at limit $3)`,
    [now, KEEP_DAYS, ARCHIVE_BATCH],
  );
  return archived === ARCHIVE_BATCH;
}

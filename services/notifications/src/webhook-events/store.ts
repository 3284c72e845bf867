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
import type { Database, Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { EntitySchema } from 'typeorm';
import { inOrganizations } from '../scope.ts';
import type { WebhookFormat } from '../webhook-endpoints/webhook-endpoint.ts';
import type { WebhookEvent } from './webhook-event.ts';

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
  /** Finds what names a person who was no customer yet. */
  address_hash: string | null;
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
       insert into webhook_bodies (message_id, format, organization_id, customer_id, address_hash, occurred_at, body)
       select * from jsonb_to_recordset($1::jsonb) as body(
         message_id uuid, format text, organization_id uuid, customer_id uuid, address_hash text,
         occurred_at timestamptz, body text)
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

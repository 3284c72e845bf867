import { webhookEventTypes } from '@tributary/proto/events/webhook-events.ts';
import { boolean, integer, nullable, recorded, text, uuid } from '@tributary/runtime/db/columns.ts';
import { escapeLike, pageOf, whereIn } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page } from '@tributary/runtime/http/paging.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { EntitySchema, type SelectQueryBuilder } from 'typeorm';
import type { WebhookEvent } from '../webhook-events/webhook-event.ts';
import type { WebhookDeliveryQuery } from './schema.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';

export const webhookDeliveries = new EntitySchema<WebhookDelivery>({
  name: 'webhook_deliveries',
  columns: {
    ...recorded,
    organization_id: uuid,
    endpoint_id: uuid,
    event_id: uuid,
    type: text,
    succeeded: boolean,
    http_code: nullable(integer),
    response: nullable(text),
  },
});

export const insertWebhookDelivery = (tx: Tx, delivery: WebhookDelivery): Promise<unknown> =>
  tx.getRepository(webhookDeliveries).insert(delivery);

/** A delivery with the event it delivered. */
export interface DeliveryOfEvent {
  delivery: WebhookDelivery;
  event: WebhookEvent;
  /** Absent once archived. */
  body: string | undefined;
}

/** Deliveries of the organizations, newest first, in three statements. */
export async function listWebhookDeliveries(
  reader: Reader,
  organizationIds: readonly string[],
  filters: WebhookDeliveryQuery,
): Promise<Page<DeliveryOfEvent>> {
  const query = reader.getRepository(webhookDeliveries).createQueryBuilder('delivery');
  whereIn(query, 'delivery.endpoint_id', filters.endpoint_id);
  whereIn(query, 'delivery.type', filters.event_type);
  whereWithin(query, filters);
  whereAnswered(query, filters);
  if (filters.query !== undefined) whereMentions(query, filters.query, organizationIds);
  const newest = [{ by: 'created_at' as const, direction: 'DESC' as const }];
  const columns = { created_at: 'delivery.created_at' };
  const { items, total } = await pageOf(query, filters, newest, columns, { organizations: organizationIds });
  return { total, items: await withEvents(reader, items) };
}

type Query = SelectQueryBuilder<WebhookDelivery>;

function whereWithin(query: Query, { start_timestamp, end_timestamp }: WebhookDeliveryQuery): void {
  if (start_timestamp) query.andWhere('delivery.created_at > :start_timestamp', { start_timestamp });
  if (end_timestamp) query.andWhere('delivery.created_at < :end_timestamp', { end_timestamp });
}

function whereAnswered(query: Query, { succeeded, http_code_class }: WebhookDeliveryQuery): void {
  if (succeeded !== undefined) query.andWhere(succeeded ? 'delivery.succeeded' : 'not delivery.succeeded');
  if (http_code_class)
    query.andWhere('(delivery.http_code / 100) = :hundreds', { hundreds: Number(http_code_class[0]) });
}

/** A search that matches more events than this looks at the newest of them. */
const MAX_FOUND = 10_000;

/**
 * Text in the name of a kind finds that kind: it is in the body of every such event, too many to look through. Other
 * text is looked for in the bodies, and a whole id among the deliveries and their events as well.
 */
function whereMentions(query: Query, searched: string, organizationIds: readonly string[]): void {
  const text = searched.toLowerCase();
  const kinds = webhookEventTypes.filter((type) => type.includes(text));
  if (kinds.length > 0) {
    query.andWhere('delivery.type = any(:kinds)', { kinds });
    return;
  }
  const isId = Id.safeParse(text).success;
  query.andWhere(
    `delivery.id in (
       select found.id from (
         select message_id, format from webhook_bodies
         where organization_id = any(:searchedOrganizations) and body ilike :mentioned
         order by occurred_at desc limit ${MAX_FOUND}) body
       join webhook_events event on event.message_id = body.message_id and event.format = body.format
       join webhook_deliveries found on found.event_id = event.id
       ${isId ? 'union all select id from webhook_deliveries where id = :searchedId or event_id = :searchedId' : ''})`,
    {
      searchedOrganizations: organizationIds,
      mentioned: `%${escapeLike(searched)}%`,
      ...(isId ? { searchedId: text } : {}),
    },
  );
}

async function withEvents(reader: Reader, deliveries: WebhookDelivery[]): Promise<DeliveryOfEvent[]> {
  if (deliveries.length === 0) return [];
  const rows: (WebhookEvent & { body: string | null })[] = await reader.query(
    `select event.*, body.body from webhook_events event
     left join webhook_bodies body on body.message_id = event.message_id and body.format = event.format
     where event.id = any($1)`,
    [[...new Set(deliveries.map((delivery) => delivery.event_id))]],
  );
  const events = new Map(rows.map(({ body, ...event }) => [event.id, { event, body: body ?? undefined }]));
  return deliveries.map((delivery) => ({ delivery, ...events.get(delivery.event_id)! }));
}

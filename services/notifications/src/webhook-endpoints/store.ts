import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import {
  boolean,
  integer,
  nullable,
  recorded,
  text,
  textArray,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { pageOf } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { EntitySchema } from 'typeorm';
import { inOrganizations } from '../scope.ts';
import type { WebhookEndpoint, WebhookFormat } from './webhook-endpoint.ts';

export const webhookEndpoints = new EntitySchema<WebhookEndpoint>({
  name: 'webhook_endpoints',
  columns: {
    ...recorded,
    organization_id: uuid,
    deleted_at: nullable(timestamp),
    url: text,
    name: nullable(text),
    format: text,
    events: textArray,
    enabled: boolean,
    sealed_secret: text,
    consecutive_failures: integer,
  },
});

const live = (reader: Reader) =>
  reader.getRepository(webhookEndpoints).createQueryBuilder('endpoint').where('endpoint.deleted_at is null');

/** Endpoints of the organizations, newest first. */
export function listWebhookEndpoints(
  reader: Reader,
  organizationIds: readonly string[],
  paging: Paging,
): Promise<Page<WebhookEndpoint>> {
  const newestFirst = [{ by: 'created_at' as const, direction: 'DESC' as const }];
  const columns = { created_at: 'endpoint.created_at' };
  return pageOf(live(reader), paging, newestFirst, columns, { organizations: organizationIds });
}

/**
 * One endpoint of the organizations; deleted ones are gone.
 * @param lock 'write' takes its row lock
 */
export async function getWebhookEndpoint(
  reader: Reader,
  organizationIds: readonly string[],
  id: string,
  lock?: 'write',
): Promise<WebhookEndpoint> {
  const query = live(reader).andWhere('endpoint.id = :id', { id });
  inOrganizations(query, 'endpoint.organization_id', organizationIds);
  if (lock) query.setLock('for_no_key_update');
  const endpoint = await query.getOne();
  if (!endpoint) throw notFound('Webhook endpoint not found');
  return endpoint;
}

/** The endpoint whatever its state, with its row lock. */
export const lockWebhookEndpoint = (tx: Tx, id: string): Promise<WebhookEndpoint> =>
  tx
    .getRepository(webhookEndpoints)
    .createQueryBuilder('endpoint')
    .where('endpoint.id = :id', { id })
    .setLock('for_no_key_update')
    .getOneOrFail();

export const countWebhookEndpoints = (reader: Reader, organizationId: string): Promise<number> =>
  live(reader).andWhere('endpoint.organization_id = :organizationId', { organizationId }).getCount();

export async function insertWebhookEndpoint(tx: Tx, endpoint: WebhookEndpoint): Promise<WebhookEndpoint> {
  await tx.getRepository(webhookEndpoints).insert(endpoint);
  return endpoint;
}

/** Writes back an endpoint that was read with its row lock. */
export async function saveWebhookEndpoint(tx: Tx, endpoint: WebhookEndpoint): Promise<WebhookEndpoint> {
  const { id, ...columns } = endpoint;
  await tx.getRepository(webhookEndpoints).update(id, columns);
  return endpoint;
}

/** The endpoints that are told of a kind of event. */
export function findListeningEndpoints(
  reader: Pick<Reader, 'query'>,
  organizationId: string,
  type: WebhookEventType,
): Promise<{ id: string; format: WebhookFormat }[]> {
  return reader.query(
    `select id, format from webhook_endpoints
     where organization_id = $1 and deleted_at is null and enabled and $2 = any(events)`,
    [organizationId, type],
  );
}

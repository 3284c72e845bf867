import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { lockWebhookEndpoint } from '../webhook-endpoints/store.ts';
import { hasBody, lockWebhookEvent, saveWebhookEvent, wakeSenders } from './store.ts';
import { redelivered, type WebhookEvent } from './webhook-event.ts';

/**
 * Queues an event once more. Nothing is queued when its body was archived or its endpoint is off.
 * @returns false when the endpoint was deleted, and the event with it
 */
export async function redeliverWebhookEvent(
  tx: Tx,
  { id, endpoint_id }: WebhookEvent,
  now: Date,
): Promise<boolean> {
  const endpoint = await lockWebhookEndpoint(tx, endpoint_id);
  if (endpoint.deleted_at !== null) return false;
  const event = await lockWebhookEvent(tx, id);
  if (endpoint.enabled && (await hasBody(tx, event))) {
    await saveWebhookEvent(tx, redelivered(event, now));
    await wakeSenders(tx);
  }
  return true;
}

import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { skipPendingEvents } from '../webhook-events/store.ts';
import { saveWebhookEndpoint } from './store.ts';
import {
  changeWebhookEndpoint,
  deletedWebhookEndpoint,
  type WebhookEndpoint,
  type WebhookEndpointChanges,
} from './webhook-endpoint.ts';

/** Updates an endpoint read with its row lock; switching it off also skips what it still waits for. */
export async function updateWebhookEndpoint(
  tx: Tx,
  endpoint: WebhookEndpoint,
  changes: WebhookEndpointChanges,
  now: Date,
): Promise<WebhookEndpoint> {
  if (Object.values(changes).every((value) => value === undefined)) return endpoint;
  const changed = await saveWebhookEndpoint(tx, changeWebhookEndpoint(endpoint, changes, now));
  if (endpoint.enabled && !changed.enabled) await skipPendingEvents(tx, endpoint.id, now);
  return changed;
}

/** Deletes an endpoint read with its row lock; what it still waits for is not sent. */
export async function deleteWebhookEndpoint(tx: Tx, endpoint: WebhookEndpoint, now: Date): Promise<void> {
  await saveWebhookEndpoint(tx, deletedWebhookEndpoint(endpoint, now));
  await skipPendingEvents(tx, endpoint.id, now);
}

import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { WebhookEventWire } from './schema.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** @param body what is sent; undefined once archived */
export const presentWebhookEvent = (event: WebhookEvent, body: string | undefined): WebhookEventWire => ({
  ...presentRecorded(event),
  last_http_code: event.last_http_code,
  succeeded: event.succeeded,
  skipped: event.skipped,
  payload: body ?? null,
  type: event.type,
  is_archived: body === undefined,
});

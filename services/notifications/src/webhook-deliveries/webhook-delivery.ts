import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';

/** One attempt to deliver a webhook event. It is never changed. */
export interface WebhookDelivery extends Recorded {
  organization_id: string;
  endpoint_id: string;
  event_id: string;
  type: WebhookEventType;
  succeeded: boolean;
  /** Null when no answer came. */
  http_code: number | null;
  /** The beginning of the answer, or what went wrong. */
  response: string | null;
}

import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import { presentWebhookEvent } from '../webhook-events/present.ts';
import type { WebhookDeliveryWire } from './schema.ts';
import type { DeliveryOfEvent } from './store.ts';

export const presentWebhookDelivery = ({ delivery, event, body }: DeliveryOfEvent): WebhookDeliveryWire => ({
  ...presentRecorded(delivery),
  succeeded: delivery.succeeded,
  http_code: delivery.http_code,
  response: delivery.response,
  webhook_event: presentWebhookEvent(event, body),
});

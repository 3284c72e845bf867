import { pagingShape } from '@tributary/runtime/http/paging.ts';
import {
  Id,
  many,
  QueryBoolean,
  resourceShape,
  SearchText,
  TimestampInput,
} from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { WebhookEventTypeShape } from '../webhook-endpoints/schema.ts';
import { WebhookEvent } from '../webhook-events/schema.ts';

export const WebhookDelivery = z
  .object({
    ...resourceShape,
    succeeded: z.boolean(),
    http_code: z.int().nullable(),
    response: z.string().nullable(),
    webhook_event: WebhookEvent,
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDeliveryWire = z.input<typeof WebhookDelivery>;

export const WebhookDeliveryQuery = z.object({
  ...pagingShape,
  endpoint_id: many(Id),
  start_timestamp: TimestampInput.optional(),
  end_timestamp: TimestampInput.optional(),
  succeeded: QueryBoolean.optional(),
  query: SearchText,
  http_code_class: z.enum(['2xx', '3xx', '4xx', '5xx']).optional(),
  event_type: many(WebhookEventTypeShape),
});
export type WebhookDeliveryQuery = z.output<typeof WebhookDeliveryQuery>;

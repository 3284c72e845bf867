import { resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { WebhookEventTypeShape } from '../webhook-endpoints/schema.ts';

export const WebhookEvent = z
  .object({
    ...resourceShape,
    last_http_code: z.int().nullable().optional(),
    succeeded: z.boolean().nullable().optional(),
    skipped: z.boolean(),
    payload: z.string().nullable(),
    type: WebhookEventTypeShape,
    is_archived: z.boolean(),
  })
  .meta({ id: 'WebhookEvent' });
export type WebhookEventWire = z.input<typeof WebhookEvent>;

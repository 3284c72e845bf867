import { webhookEventTypes } from '@tributary/proto/events/webhook-events.ts';
import { pagingShape } from '@tributary/runtime/http/paging.ts';
import { Id, many, resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { webhookFormats } from './webhook-endpoint.ts';

/** The length browsers and servers agree on for an address. */
const MAX_URL = 2_083;
const MAX_EVENTS = 100;

export const WebhookEventTypeShape = z.enum(webhookEventTypes).meta({ id: 'WebhookEventType' });
export const WebhookFormatShape = z.enum(webhookFormats).meta({ id: 'WebhookFormat' });

const url = z.string().min(1).max(MAX_URL).meta({ format: 'uri' });
const name = z.string().max(255);
const events = z.array(WebhookEventTypeShape).max(MAX_EVENTS);

export const WebhookEndpoint = z
  .object({
    ...resourceShape,
    url: z.string(),
    name: z.string().nullable().optional(),
    format: WebhookFormatShape,
    secret: z.string(),
    organization_id: Id,
    events: z.array(WebhookEventTypeShape),
    enabled: z.boolean(),
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpointWire = z.input<typeof WebhookEndpoint>;

export const WebhookEndpointCreate = z
  .object({ url, name: name.nullish(), format: WebhookFormatShape, events, organization_id: Id.nullish() })
  .meta({ id: 'WebhookEndpointCreate' });

export const WebhookEndpointUpdate = z
  .object({
    url: url.nullish(),
    name: name.nullish(),
    format: WebhookFormatShape.nullish(),
    events: events.nullish(),
    enabled: z.boolean().nullish(),
  })
  .meta({ id: 'WebhookEndpointUpdate' });

export const WebhookEndpointQuery = z.object({ ...pagingShape, organization_id: many(Id) });

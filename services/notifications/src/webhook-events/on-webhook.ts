import { webhooksTopic } from '@tributary/proto/events/topics.ts';
import { WebhookEventValue } from '@tributary/proto/events/webhook-events.ts';
import { consumer } from '../app.ts';
import { findListeningEndpoints } from '../webhook-endpoints/store.ts';
import { addressHashOf, customerOf } from './customer-of.ts';
import { renderBody } from './render-body.ts';
import { insertWebhookEvents, type WebhookBody } from './store.ts';

/** Queues an event for every endpoint that asked for its kind; a format without a rendering of it hears nothing. */
export const onWebhook = consumer({
  name: 'notifications.queue-webhook',
  topic: webhooksTopic.name,
  schema: WebhookEventValue,
  async handle({ id, value }, tx, { clock }) {
    if (value === null) return;
    const listening = await findListeningEndpoints(tx, value.organization_id, value.type);
    const formats = [...new Set(listening.map((endpoint) => endpoint.format))];
    const subject = { customer_id: customerOf(value), address_hash: addressHashOf(value) };
    const bodies = formats.flatMap((format): WebhookBody[] => {
      const body = renderBody(format, value);
      if (body === null) return [];
      const { organization_id, timestamp: occurred_at } = value;
      return [{ message_id: id, format, organization_id, ...subject, occurred_at, body }];
    });
    if (bodies.length === 0) return;
    const endpoints = listening.filter(({ format }) => bodies.some((body) => body.format === format));
    await insertWebhookEvents(tx, value.type, bodies, endpoints, clock.now());
  },
});

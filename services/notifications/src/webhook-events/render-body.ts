import type { WebhookEventValue } from '@tributary/proto/events/webhook-events.ts';
import type { WebhookFormat } from '../webhook-endpoints/webhook-endpoint.ts';
import { type ChatMessage, chatMessageOf, toDiscord, toSlack } from './chat-message.ts';

const inChat = (event: WebhookEventValue, render: (message: ChatMessage) => object): object | null => {
  const message = chatMessageOf(event);
  return message && render(message);
};

const renderers: Readonly<Record<WebhookFormat, (event: WebhookEventValue) => object | null>> = {
  raw: ({ type, timestamp, data }) => ({ type, timestamp, data }),
  discord: (event) => inChat(event, (message) => toDiscord(message, event.timestamp)),
  slack: (event) => inChat(event, toSlack),
};

/** The text that an endpoint of the format receives; null where the format has nothing to say about the event. */
export function renderBody(format: WebhookFormat, event: WebhookEventValue): string | null {
  const body = renderers[format](event);
  return body === null ? null : JSON.stringify(body);
}

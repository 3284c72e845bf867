import type { WebhookEventValue } from '@tributary/proto/events/webhook-events.ts';
import type { WebhookFormat } from '../webhook-endpoints/webhook-endpoint.ts';

type Render = (event: WebhookEventValue) => object | null;

const renderers: Readonly<Record<WebhookFormat, Render>> = {
  raw: ({ type, timestamp, data }) => ({ type, timestamp, data }),
  discord: () => null,
  slack: () => null,
};

/** The text that an endpoint of the format receives; null where the format has nothing to say about the event. */
export function renderBody(format: WebhookFormat, event: WebhookEventValue): string | null {
  const body = renderers[format](event);
  return body === null ? null : JSON.stringify(body);
}

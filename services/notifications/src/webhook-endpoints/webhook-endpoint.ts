import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';

export const webhookFormats = ['raw', 'discord', 'slack'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

export const WEBHOOK_SECRET_PREFIX = 'whsec_';
/** Every event is copied to each endpoint that wants it; this bounds the copies. */
export const MAX_ENDPOINTS = 1_000;
/** So many events in a row that failed for good switch an endpoint off. */
const FAILURES_TO_DISABLE = 10;

/** An address of an integrator that is told of events. */
export interface WebhookEndpoint extends Recorded {
  organization_id: string;
  deleted_at: Date | null;
  url: string;
  name: string | null;
  format: WebhookFormat;
  events: WebhookEventType[];
  enabled: boolean;
  /** The signing secret, sealed for this endpoint's id. */
  sealed_secret: string;
  /** Events in a row that failed for good; a success starts anew. */
  consecutive_failures: number;
}

export type WebhookEndpointInput = Pick<WebhookEndpoint, 'url' | 'name' | 'format' | 'events'>;

export const newWebhookEndpoint = (
  input: WebhookEndpointInput,
  identity: Pick<WebhookEndpoint, 'id' | 'organization_id' | 'sealed_secret'>,
  now: Date,
): WebhookEndpoint => ({
  ...identity,
  created_at: now,
  modified_at: null,
  deleted_at: null,
  url: input.url,
  name: input.name,
  format: input.format,
  events: [...new Set(input.events)],
  enabled: true,
  consecutive_failures: 0,
});

/** What an update may carry; null leaves a member as it is, except the name, which it clears. */
export interface WebhookEndpointChanges {
  url?: string | null;
  name?: string | null;
  format?: WebhookFormat | null;
  events?: WebhookEventType[] | null;
  enabled?: boolean | null;
}

/** The endpoint after an update. One that is switched on again gets its full patience back. */
export function changeWebhookEndpoint(
  endpoint: WebhookEndpoint,
  changes: WebhookEndpointChanges,
  now: Date,
): WebhookEndpoint {
  const enabled = changes.enabled ?? endpoint.enabled;
  return {
    ...endpoint,
    modified_at: now,
    url: changes.url ?? endpoint.url,
    name: changes.name === undefined ? endpoint.name : changes.name,
    format: changes.format ?? endpoint.format,
    events: changes.events ? [...new Set(changes.events)] : endpoint.events,
    enabled,
    consecutive_failures: enabled && !endpoint.enabled ? 0 : endpoint.consecutive_failures,
  };
}

/** Gone for everybody; its past deliveries stay readable, its secret does not. */
export const deletedWebhookEndpoint = (endpoint: WebhookEndpoint, now: Date): WebhookEndpoint => ({
  ...endpoint,
  deleted_at: now,
  enabled: false,
  sealed_secret: '',
});

/** The endpoint after one of its events came to its end. */
export function afterEvent(endpoint: WebhookEndpoint, succeeded: boolean, now: Date): WebhookEndpoint {
  if (succeeded)
    return endpoint.consecutive_failures === 0 ? endpoint : { ...endpoint, consecutive_failures: 0 };
  const consecutive_failures = endpoint.consecutive_failures + 1;
  const isBroken = endpoint.enabled && consecutive_failures >= FAILURES_TO_DISABLE;
  return isBroken
    ? { ...endpoint, consecutive_failures, enabled: false, modified_at: now }
    : { ...endpoint, consecutive_failures };
}

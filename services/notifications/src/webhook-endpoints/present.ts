import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { Vault } from '../vault.ts';
import type { WebhookEndpointWire } from './schema.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** The endpoint as its organization reads it, secret included. */
export const presentWebhookEndpoint = (endpoint: WebhookEndpoint, vault: Vault): WebhookEndpointWire => ({
  ...presentRecorded(endpoint),
  url: endpoint.url,
  name: endpoint.name,
  format: endpoint.format,
  secret: vault.open(endpoint.sealed_secret, endpoint.id),
  organization_id: endpoint.organization_id,
  events: endpoint.events,
  enabled: endpoint.enabled,
});

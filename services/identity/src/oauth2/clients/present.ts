import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { Client } from './client.ts';

/** Secrets that are shown where they are made, or to who brought them. */
export interface ClientSecrets {
  client_secret?: string;
  registration_access_token?: string;
}

export const presentClient = (client: Client, publicUrl: string, secrets: ClientSecrets = {}) => ({
  ...secrets,
  client_id: client.client_id,
  client_id_issued_at: Math.floor(client.created_at.getTime() / 1000),
  client_secret_expires_at: 0,
  registration_client_uri: `${publicUrl}/v1/oauth2/register/${client.client_id}`,
  redirect_uris: client.redirect_uris,
  token_endpoint_auth_method: client.token_endpoint_auth_method,
  grant_types: client.grant_types,
  response_types: client.response_types,
  scope: client.scopes.join(' '),
  client_name: client.client_name,
  client_uri: client.client_uri,
  logo_uri: client.logo_uri,
  tos_uri: client.tos_uri,
  policy_uri: client.policy_uri,
  default_sub_type: client.default_sub_type,
});

export function presentPublicClient(client: Client) {
  const { created_at, modified_at } = presentRecorded(client);
  const { client_id, client_name, client_uri, logo_uri, tos_uri, policy_uri } = client;
  return { created_at, modified_at, client_id, client_name, client_uri, logo_uri, tos_uri, policy_uri };
}

import type { Scope } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';

export const authMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type AuthMethod = (typeof authMethods)[number];
export const clientGrantTypes = ['authorization_code', 'refresh_token'] as const;
export const subTypes = ['user', 'organization'] as const;
export type SubType = (typeof subTypes)[number];

/** An application that asks users for access (RFC 7591). */
export interface Client extends Recorded {
  client_id: string;
  /** Null for a public client. */
  client_secret_hash: string | null;
  registration_token_hash: string;
  /** The user who registered it while logged in, if any. */
  user_id: string | null;
  /** Our own applications, which may turn a browser session into a token (grant `web`). */
  is_first_party: boolean;
  client_name: string;
  client_uri: string | null;
  logo_uri: string | null;
  tos_uri: string | null;
  policy_uri: string | null;
  redirect_uris: string[];
  token_endpoint_auth_method: AuthMethod;
  grant_types: (typeof clientGrantTypes)[number][];
  response_types: 'code'[];
  scopes: Scope[];
  default_sub_type: SubType;
}

/** What a registration says about a client (RFC 7591, 2). */
export interface ClientMetadata {
  redirect_uris: string[];
  token_endpoint_auth_method: AuthMethod;
  grant_types: Client['grant_types'];
  response_types: Client['response_types'];
  scopes: Scope[];
  client_name: string;
  client_uri?: string | null;
  logo_uri?: string | null;
  tos_uri?: string | null;
  policy_uri?: string | null;
  default_sub_type: SubType;
}

/** What stands for a client and its secrets. */
export interface ClientIdentity {
  client_id: string;
  client_secret_hash: string | null;
  registration_token_hash: string;
  user_id: string | null;
  is_first_party: boolean;
}

export const newClient = (identity: ClientIdentity, metadata: ClientMetadata, now: Date): Client => ({
  id: newId(),
  created_at: now,
  modified_at: null,
  ...identity,
  ...complete(metadata),
});

/** The client with everything a registration says replaced; what is left out is empty again. */
export const reregister = (
  client: Client,
  metadata: ClientMetadata,
  client_secret_hash: string | null,
  now: Date,
): Client => ({ ...client, ...complete(metadata), client_secret_hash, modified_at: now });

const complete = (metadata: ClientMetadata) => ({
  ...metadata,
  client_uri: metadata.client_uri ?? null,
  logo_uri: metadata.logo_uri ?? null,
  tos_uri: metadata.tos_uri ?? null,
  policy_uri: metadata.policy_uri ?? null,
});

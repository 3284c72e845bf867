import { Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { isRedirectUri } from '../redirect-uri.ts';
import { parseScopes, requestableScopes } from '../scope.ts';
import { authMethods, clientGrantTypes, subTypes } from './client.ts';

const Url = z
  .url({ protocol: /^https?$/, hostname: /./ })
  .min(1)
  .max(2083)
  .meta({ format: 'uri' });
const RedirectUri = z
  .string()
  .min(1)
  .max(2083)
  .refine(isRedirectUri, { error: 'Use https, or http for localhost, without a fragment' })
  .meta({ format: 'uri' });
const unique = <T>(list: T[]): T[] => [...new Set(list)];

export const SubType = z.enum(subTypes).meta({ id: 'SubType' });

const shape = {
  redirect_uris: z.array(RedirectUri).min(1).max(50),
  token_endpoint_auth_method: z.enum(authMethods).default('client_secret_post'),
  grant_types: z
    .array(z.enum(clientGrantTypes))
    .max(10)
    .transform(unique)
    .default(['authorization_code', 'refresh_token']),
  response_types: z.array(z.literal('code')).max(10).transform(unique).default(['code']),
  scope: z
    .string()
    .max(4096)
    .refine((text) => parseScopes(text, requestableScopes) !== undefined, { error: 'A scope is not known' })
    .default(requestableScopes.join(' ')),
  client_name: z.string().trim().min(1).max(255),
  client_uri: Url.nullish(),
  logo_uri: Url.nullish(),
  tos_uri: Url.nullish(),
  policy_uri: Url.nullish(),
  default_sub_type: SubType.default('user'),
};

export const ClientConfiguration = z.object(shape).meta({ id: 'OAuth2ClientConfiguration' });
export type ClientConfiguration = z.output<typeof ClientConfiguration>;

export const ClientConfigurationUpdate = z
  .object({ ...shape, client_id: z.string().max(100) })
  .meta({ id: 'OAuth2ClientConfigurationUpdate' });

/** A registration as its owner reads it (RFC 7591, 3.2.1). */
export const ClientInformation = z
  .object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    client_id_issued_at: z.int(),
    client_secret_expires_at: z.int(),
    registration_access_token: z.string().optional(),
    registration_client_uri: z.string(),
    redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.enum(authMethods),
    grant_types: z.array(z.enum(clientGrantTypes)),
    response_types: z.array(z.literal('code')),
    scope: z.string(),
    client_name: z.string(),
    client_uri: z.string().nullable(),
    logo_uri: z.string().nullable(),
    tos_uri: z.string().nullable(),
    policy_uri: z.string().nullable(),
    default_sub_type: SubType,
  })
  .meta({ id: 'OAuth2ClientInformation' });

/** A client as the user who is asked for consent sees it. */
export const ClientPublic = z
  .object({
    created_at: Timestamp,
    modified_at: Timestamp.nullable(),
    client_id: z.string(),
    client_name: z.string().nullable(),
    client_uri: z.string().nullable(),
    logo_uri: z.string().nullable(),
    tos_uri: z.string().nullable(),
    policy_uri: z.string().nullable(),
  })
  .meta({ id: 'OAuth2ClientPublic' });

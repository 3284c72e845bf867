import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { SubType } from '../clients/schema.ts';

/**
 * Forms of the token endpoints, for the API document. They are read by hand: these endpoints refuse in the words of
 * OAuth 2.0 and not with a validation error.
 */
const client = { client_id: z.string(), client_secret: z.string() };

export const TokenRequest = z.union([
  z
    .object({
      grant_type: z.literal('authorization_code'),
      ...client,
      code: z.string(),
      redirect_uri: z.string().min(1).max(2083).meta({ format: 'uri' }),
      code_verifier: z.string().nullish(),
    })
    .meta({ id: 'AuthorizationCodeTokenRequest' }),
  z
    .object({
      grant_type: z.literal('refresh_token'),
      ...client,
      refresh_token: z.string(),
      scope: z.string().nullish(),
    })
    .meta({ id: 'RefreshTokenRequest' }),
  z
    .object({
      grant_type: z.literal('web'),
      ...client,
      session_token: z.string(),
      sub_type: SubType.default('user'),
      sub: Id.nullish(),
      scope: z.string().nullish(),
    })
    .meta({ id: 'WebTokenRequest' }),
]);

export const TokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    refresh_token: z.string().nullish(),
    scope: z.string(),
    id_token: z.string().nullish(),
  })
  .meta({ id: 'TokenResponse' });

const tokenForm = {
  token: z.string(),
  token_type_hint: z.enum(['access_token', 'refresh_token']).nullish(),
  ...client,
};

export const RevokeTokenRequest = z.object(tokenForm).meta({ id: 'RevokeTokenRequest' });
export const RevokeTokenResponse = z.object({}).meta({ id: 'RevokeTokenResponse' });

export const IntrospectTokenRequest = z.object(tokenForm).meta({ id: 'IntrospectTokenRequest' });
/** A dead or foreign token is `{active: false}` and nothing else (RFC 7662, 2.2). */
export const IntrospectTokenResponse = z
  .object({
    active: z.boolean(),
    client_id: z.string().optional(),
    token_type: z.enum(['access_token', 'refresh_token']).optional(),
    scope: z.string().optional(),
    sub_type: SubType.optional(),
    sub: z.string().optional(),
    organizations: z.array(z.string()).optional(),
    aud: z.string().optional(),
    iss: z.string().optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
  })
  .meta({ id: 'IntrospectTokenResponse' });

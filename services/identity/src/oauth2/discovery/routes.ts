import { anonymous } from '@tributary/proto/access.ts';
import { z } from 'zod';
import { route } from '../../app.ts';
import { SIGNING_ALGORITHM } from '../../signing-keys/keyring.ts';
import { authMethods, clientGrantTypes } from '../clients/client.ts';
import { challengeMethods } from '../pkce.ts';
import { requestableScopes } from '../scope.ts';

const confidential = authMethods.filter((method) => method !== 'none');

/** OpenID Connect Discovery 1.0, section 3, with RFC 8414 and RFC 9207. */
const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/v1/oauth2/authorize`,
  token_endpoint: `${issuer}/v1/oauth2/token`,
  userinfo_endpoint: `${issuer}/v1/oauth2/userinfo`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  registration_endpoint: `${issuer}/v1/oauth2/register`,
  introspection_endpoint: `${issuer}/v1/oauth2/introspect`,
  revocation_endpoint: `${issuer}/v1/oauth2/revoke`,
  scopes_supported: [...requestableScopes],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: [...clientGrantTypes],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
  token_endpoint_auth_methods_supported: [...authMethods],
  introspection_endpoint_auth_methods_supported: confidential,
  revocation_endpoint_auth_methods_supported: [...authMethods],
  code_challenge_methods_supported: [...challengeMethods],
  prompt_values_supported: ['none', 'login', 'consent'],
  claims_supported: [
    'sub',
    'iss',
    'aud',
    'exp',
    'iat',
    'auth_time',
    'nonce',
    'at_hash',
    'email',
    'email_verified',
  ],
  authorization_response_iss_parameter_supported: true,
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
});

const ProviderMetadata = z
  .looseObject({ issuer: z.string(), authorization_endpoint: z.string(), token_endpoint: z.string() })
  .meta({ id: 'OpenIDProviderMetadata' });

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) }).meta({ id: 'JSONWebKeySet' });

export const discoveryRoutes = [
  route({
    method: 'GET',
    path: '/.well-known/openid-configuration',
    operation: 'oauth2:openid_configuration',
    summary: 'Get OpenID Connect configuration',
    access: anonymous,
    response: ProviderMetadata,
    handle: async (_call, app) => metadata(app.publicUrl),
  }),
  route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operation: 'oauth2:jwks',
    summary: 'Get signing keys',
    access: anonymous,
    response: KeySet,
    handle: async ({ now }, app) => ({ keys: (await app.keyring.publicKeys(now)) as { kty: string }[] }),
  }),
];

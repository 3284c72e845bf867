import { scopes } from '@tributary/proto/access.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Scope } from '../../access-tokens/schema.ts';
import { ClientPublic } from '../clients/schema.ts';
import { scopeDisplayNames } from '../scope.ts';

const parameter = (max: number) => z.string().max(max).optional();

/** Parameters of an authorization request. What they may hold is checked by hand: OAuth has its own refusals. */
export const AuthorizeQuery = z.object({
  response_type: parameter(100),
  client_id: parameter(255),
  redirect_uri: parameter(2083),
  scope: parameter(4096),
  state: parameter(4096),
  nonce: parameter(1024),
  code_challenge: parameter(255),
  code_challenge_method: parameter(100),
  prompt: parameter(100),
  sub_type: parameter(100),
  sub: parameter(100),
  max_age: parameter(20),
  login_hint: parameter(320),
  response_mode: parameter(100),
  request: parameter(16_384),
  request_uri: parameter(2083),
});
export type AuthorizeQuery = z.output<typeof AuthorizeQuery>;

export const AuthorizeOrganization = z
  .object({ id: Id, slug: z.string(), avatar_url: z.string().nullable() })
  .meta({ id: 'AuthorizeOrganization' });

const AuthorizeUser = z
  .object({ id: Id, email: z.email(), avatar_url: z.string().nullable() })
  .meta({ id: 'AuthorizeUser' });

const common = {
  client: ClientPublic,
  scopes: z.array(Scope).max(scopes.length),
  organizations: z.array(AuthorizeOrganization),
  requires_single_organization: z.boolean().default(false),
  scope_display_names: z.record(z.string(), z.string()).default({ ...scopeDisplayNames }),
};

/** What an application asks for, for whoever shows it to the user. */
export const AuthorizeResponse = z.discriminatedUnion('sub_type', [
  z
    .object({ ...common, sub_type: z.literal('user'), sub: AuthorizeUser.nullable() })
    .meta({ id: 'AuthorizeResponseUser' }),
  z
    .object({ ...common, sub_type: z.literal('organization'), sub: AuthorizeOrganization.nullable() })
    .meta({ id: 'AuthorizeResponseOrganization' }),
]);

import { z } from 'zod';
import { schemes } from './access.ts';

export const organizationRoles = ['owner', 'admin', 'member'] as const;
export const memberRoles = ['owner', 'billing_manager', 'member'] as const;

const bearer = { scopes: z.array(z.string()), token_id: z.string() };

/**
 * Who is calling, as the gateway learns it from identity and every service reads it from the internal JWT.
 * Domain rules 10.2: users act through `organizations`, an organization token is its organization.
 */
export const Principal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  z.object({
    kind: z.literal('user'),
    scheme: z.enum(schemes).extract(['oidc', 'pat']),
    user_id: z.string(),
    client_id: z.string().nullable(),
    organizations: z.array(z.object({ id: z.string(), role: z.enum(organizationRoles) })),
    /** True when the token is limited to the organizations listed, so that one of them can be inferred. */
    is_limited: z.boolean(),
    ...bearer,
  }),
  z.object({
    kind: z.literal('organization'),
    scheme: z.literal('oat'),
    organization_id: z.string(),
    ...bearer,
  }),
  z.object({
    kind: z.literal('customer'),
    scheme: z.literal('customer_session'),
    organization_id: z.string(),
    customer_id: z.string(),
    ...bearer,
  }),
  z.object({
    kind: z.literal('member'),
    scheme: z.literal('member_session'),
    organization_id: z.string(),
    customer_id: z.string(),
    member_id: z.string(),
    role: z.enum(memberRoles),
    ...bearer,
  }),
]);
export type Principal = z.output<typeof Principal>;
export type PrincipalOf<K extends Principal['kind']> = Extract<Principal, { kind: K }>;

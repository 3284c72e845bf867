import { memberRoles } from '@tributary/proto/principal.ts';
import { Id, resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Email, ExternalId, Name } from '../customers/schema.ts';

export const MemberRoleShape = z.enum(memberRoles).meta({ id: 'MemberRole' });

export const MemberShape = z
  .object({
    ...resourceShape,
    customer_id: Id,
    email: z.string(),
    name: z.string().nullable(),
    external_id: z.string().nullable(),
    role: MemberRoleShape,
  })
  .meta({ id: 'Member' });

export const MemberCreateFromCustomer = z
  .object({
    email: Email,
    name: Name.nullish(),
    external_id: ExternalId.nullish(),
    role: z.enum(['member', 'billing_manager']).default('member'),
  })
  .meta({ id: 'MemberCreateFromCustomer' });

export const MemberUpdate = z
  .object({ name: Name.nullish(), email: Email.nullish(), role: MemberRoleShape.nullish() })
  .meta({ id: 'MemberUpdate' });

export const CustomerPortalMember = z
  .object({ ...resourceShape, email: z.string(), name: z.string().nullable(), role: MemberRoleShape })
  .meta({ id: 'CustomerPortalMember' });

export const CustomerPortalMemberCreate = z
  .object({ email: Email, name: Name.nullish(), role: MemberRoleShape.default('member') })
  .meta({ id: 'CustomerPortalMemberCreate' });

export const CustomerPortalMemberUpdate = z
  .object({ name: Name.nullish(), role: MemberRoleShape.nullish() })
  .meta({ id: 'CustomerPortalMemberUpdate' });

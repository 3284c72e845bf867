import { Id, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { CustomerShape, ExternalId } from '../customers/schema.ts';

const memberShape = {
  member_id: Id.nullish(),
  external_member_id: ExternalId.nullish(),
  return_url: z
    .url({ protocol: /^https?$/ })
    .max(2_083)
    .nullish(),
};

export const CustomerSessionCreate = z.union([
  z.object({ ...memberShape, customer_id: Id }).meta({ id: 'CustomerSessionCustomerIDCreate' }),
  z
    .object({ ...memberShape, external_customer_id: ExternalId })
    .meta({ id: 'CustomerSessionCustomerExternalIDCreate' }),
]);
export type CustomerSessionCreate = z.output<typeof CustomerSessionCreate>;

const { id, created_at, modified_at } = resourceShape;
export const CustomerSession = z
  .object({
    created_at,
    modified_at,
    id,
    token: z.string(),
    expires_at: Timestamp,
    return_url: z.string().nullable(),
    customer_portal_url: z.string(),
    customer_id: Id,
    customer: CustomerShape,
  })
  .meta({ id: 'CustomerSession' });

export const CustomerCustomerSession = z
  .object({ expires_at: Timestamp, return_url: z.string().nullable() })
  .meta({ id: 'CustomerCustomerSession' });

export const PortalAuthenticatedUser = z
  .object({
    type: z.string(),
    name: z.string().nullable(),
    email: z.string(),
    customer_id: Id,
    member_id: Id.nullish(),
    role: z.string().nullish(),
  })
  .meta({ id: 'PortalAuthenticatedUser' });

import { Id, Metadata, MetadataInput, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Address, AddressInput } from '../addresses/schema.ts';
import { taxIdFormats } from '../addresses/tax-id.ts';
import { customerTypes } from './customer.ts';

export const CustomerTypeShape = z.enum(customerTypes).meta({ id: 'CustomerType' });
const TaxIDFormat = z.enum(taxIdFormats).meta({ id: 'TaxIDFormat' });
export const TaxIdOutput = z.tuple([z.string(), TaxIDFormat]).nullable();

export const Email = z.email().max(254);
export const Name = z.string().max(256);
export const ExternalId = z.string().min(1).max(255);
const taxId = z.string().max(64);
const locale = z.string().max(35);

const before = {
  ...resourceShape,
  metadata: Metadata,
  external_id: z.string().nullish(),
};
const after = {
  name: z.string().nullable(),
  billing_name: z.string().nullable(),
  billing_address: Address.nullable(),
  tax_id: TaxIdOutput,
  locale: z.string().nullish(),
  organization_id: Id,
  default_payment_method_id: Id.nullish(),
  deleted_at: Timestamp.nullable(),
  first_user_event_at: Timestamp.nullable(),
  avatar_url: z.string().nullable(),
};

export const individualShape = {
  ...before,
  email: z.string(),
  email_verified: z.boolean(),
  type: z.literal('individual'),
  ...after,
};
export const teamShape = {
  ...before,
  email: z.string().nullish(),
  email_verified: z.boolean(),
  type: z.literal('team'),
  ...after,
};
/** The customer inside an order or a subscription. */
export const embeddedCustomerShape = {
  ...before,
  email: z.string().nullish(),
  email_verified: z.boolean(),
  type: CustomerTypeShape,
  ...after,
};

export const CustomerShape = z
  .discriminatedUnion('type', [
    z.object(individualShape).meta({ id: 'CustomerIndividual' }),
    z.object(teamShape).meta({ id: 'CustomerTeam' }),
  ])
  .meta({ id: 'Customer' });
export type CustomerWire = z.input<typeof CustomerShape>;

export const MemberOwnerCreate = z
  .object({ email: Email, name: Name.nullish(), external_id: ExternalId.nullish() })
  .meta({ id: 'MemberOwnerCreate' });

const createShape = {
  metadata: MetadataInput.optional(),
  external_id: ExternalId.nullish(),
  name: Name.nullish(),
  billing_address: AddressInput.nullish(),
  tax_id: taxId.nullish(),
  locale: locale.nullish(),
  organization_id: Id.nullish(),
  owner: MemberOwnerCreate.nullish(),
};
const IndividualCreate = z
  .object({ ...createShape, type: z.literal('individual').default('individual'), email: Email })
  .meta({ id: 'CustomerIndividualCreate' });
const TeamCreate = z
  .object({ ...createShape, type: z.literal('team'), email: Email.nullish() })
  .meta({ id: 'CustomerTeamCreate' });
// Not a discriminated union: an absent `type` means individual.
export const CustomerCreate = z.union([IndividualCreate, TeamCreate]).meta({ id: 'CustomerCreate' });
export type CustomerCreate = z.output<typeof CustomerCreate>;

const updateShape = {
  metadata: MetadataInput.optional(),
  email: Email.nullish(),
  name: Name.nullish(),
  billing_address: AddressInput.nullish(),
  tax_id: taxId.nullish(),
  locale: locale.nullish(),
};
export const CustomerUpdate = z
  .object({ ...updateShape, external_id: ExternalId.nullish(), type: CustomerTypeShape.nullish() })
  .meta({ id: 'CustomerUpdate' });
export const CustomerUpdateExternalID = z.object(updateShape).meta({ id: 'CustomerUpdateExternalID' });

export const CustomerPortalCustomer = z
  .object({
    ...resourceShape,
    email: z.string().nullable(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    billing_name: z.string().nullable(),
    billing_address: Address.nullable(),
    tax_id: TaxIdOutput,
    oauth_accounts: z.record(
      z.string(),
      z
        .object({ account_id: z.string(), account_username: z.string().nullable() })
        .meta({ id: 'CustomerPortalOAuthAccount' }),
    ),
    default_payment_method_id: Id.nullish(),
    type: CustomerTypeShape.nullish(),
    locale: z.string().nullish(),
  })
  .meta({ id: 'CustomerPortalCustomer' });

export const CustomerPortalCustomerUpdate = z
  .object({
    billing_name: z.string().max(256).nullish(),
    billing_address: AddressInput.nullish(),
    tax_id: taxId.nullish(),
    default_payment_method_id: Id.nullish(),
  })
  .meta({ id: 'CustomerPortalCustomerUpdate' });

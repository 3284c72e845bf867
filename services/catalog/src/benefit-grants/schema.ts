import { Id, Metadata, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Benefit } from '../benefits/schema.ts';

const countryCode = z.string();

const Address = z
  .object({
    line1: z.string().nullish(),
    line2: z.string().nullish(),
    postal_code: z.string().nullish(),
    city: z.string().nullish(),
    state: z.string().nullish(),
    country: countryCode,
  })
  .meta({ id: 'Address' });

const CustomerType = z.enum(['individual', 'team']).meta({ id: 'CustomerType' });

const customerShape = {
  ...resourceShape,
  metadata: Metadata,
  external_id: z.string().nullish(),
  email_verified: z.boolean(),
  name: z.string().nullable(),
  billing_name: z.string().nullable(),
  billing_address: Address.nullable(),
  tax_id: z.array(z.string()).nullable(),
  locale: z.string().nullish(),
  organization_id: Id,
  default_payment_method_id: Id.nullish(),
  deleted_at: Timestamp.nullable(),
  first_user_event_at: Timestamp.nullable(),
  avatar_url: z.string().nullable(),
};
const CustomerIndividual = z
  .object({ ...customerShape, email: z.string(), type: z.literal('individual') })
  .meta({ id: 'CustomerIndividual' });
const CustomerTeam = z
  .object({ ...customerShape, email: z.string().nullish(), type: z.literal('team') })
  .meta({ id: 'CustomerTeam' });

/** A customer as its owner presents it. */
export const Customer = z
  .discriminatedUnion('type', [CustomerIndividual, CustomerTeam])
  .meta({ id: 'Customer' });
export type CustomerWire = z.output<typeof Customer>;

export const LicenseKeyCustomer = z
  .object({ ...customerShape, email: z.string().nullish(), type: CustomerType })
  .meta({ id: 'LicenseKeyCustomer' });

export const CustomerPortalCustomer = z
  .object({
    ...resourceShape,
    email: z.string().nullable(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    billing_name: z.string().nullable(),
    billing_address: Address.nullable(),
    tax_id: z.array(z.string()).nullable(),
    oauth_accounts: z.record(
      z.string(),
      z
        .object({ account_id: z.string(), account_username: z.string().nullable() })
        .meta({ id: 'CustomerPortalOAuthAccount' }),
    ),
    default_payment_method_id: Id.nullish(),
    type: CustomerType.nullish(),
    locale: z.string().nullish(),
  })
  .meta({ id: 'CustomerPortalCustomer' });

const MemberRole = z.enum(['owner', 'billing_manager', 'member']).meta({ id: 'MemberRole' });
export const Member = z
  .object({
    ...resourceShape,
    customer_id: Id,
    email: z.string(),
    name: z.string().nullable(),
    external_id: z.string().nullable(),
    role: MemberRole,
  })
  .meta({ id: 'Member' });

export const BenefitGrantError = z
  .object({ message: z.string(), type: z.string(), timestamp: z.string() })
  .meta({ id: 'BenefitGrantError' });

export const DownloadablesGrantProperties = z
  .object({ files: z.array(z.string()).optional() })
  .meta({ id: 'BenefitGrantDownloadablesProperties' });
export const LicenseKeysGrantProperties = z
  .object({
    user_provided_key: z.string().optional(),
    license_key_id: z.string().optional(),
    display_key: z.string().optional(),
  })
  .meta({ id: 'BenefitGrantLicenseKeysProperties' });
export const MeterCreditGrantProperties = z
  .object({
    last_credited_meter_id: z.string().optional(),
    last_credited_units: z.int().optional(),
    last_credited_at: z.string().optional(),
  })
  .meta({ id: 'BenefitGrantMeterCreditProperties' });
export const CustomGrantProperties = z.object({}).meta({ id: 'BenefitGrantCustomProperties' });
export const FeatureFlagGrantProperties = z.object({}).meta({ id: 'BenefitGrantFeatureFlagProperties' });

export const grantShape = {
  ...resourceShape,
  granted_at: Timestamp.nullish(),
  is_granted: z.boolean(),
  revoked_at: Timestamp.nullish(),
  is_revoked: z.boolean(),
  subscription_id: Id.nullable(),
  order_id: Id.nullable(),
  customer_id: Id,
  member_id: Id.nullish(),
  benefit_id: Id,
  error: BenefitGrantError.nullish(),
};

export const BenefitGrant = z
  .object({
    ...grantShape,
    customer: Customer,
    member: Member.nullish(),
    benefit: Benefit,
    properties: z.union([
      DownloadablesGrantProperties,
      LicenseKeysGrantProperties,
      MeterCreditGrantProperties,
      CustomGrantProperties,
      FeatureFlagGrantProperties,
    ]),
  })
  .meta({ id: 'BenefitGrant' });
export type BenefitGrantWire = z.output<typeof BenefitGrant>;

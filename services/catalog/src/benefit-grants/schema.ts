import { Id, Metadata, owned, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Benefit } from '../benefits/schema.ts';
import type { CustomerCopy, MemberCopy } from '../replicas.ts';

/** Customers and members belong to commerce, which describes them. */
export const Customer = owned<CustomerCopy>('Customer');
export const CustomerPortalCustomer = owned<object>('CustomerPortalCustomer');
const Member = owned<MemberCopy>('Member');

/** A customer of either type in one shape. */
export const LicenseKeyCustomer = z
  .object({
    ...resourceShape,
    metadata: Metadata,
    external_id: z.string().nullish(),
    email: z.string().nullish(),
    email_verified: z.boolean(),
    type: z.enum(['individual', 'team']).meta({ id: 'CustomerType' }),
    name: z.string().nullable(),
    billing_name: z.string().nullable(),
    billing_address: owned<object>('Address').nullable(),
    tax_id: z.array(z.string()).nullable(),
    locale: z.string().nullish(),
    organization_id: Id,
    default_payment_method_id: Id.nullish(),
    deleted_at: Timestamp.nullable(),
    first_user_event_at: Timestamp.nullable(),
    avatar_url: z.string().nullable(),
  })
  .meta({ id: 'LicenseKeyCustomer' });

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

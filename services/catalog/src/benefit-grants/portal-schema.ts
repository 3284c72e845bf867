import { Id, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import type { OfferedType } from '../benefits/benefit.ts';
import { subscriberProperties } from '../benefits/schema.ts';
import { BenefitSubscriberOrganization } from '../organizations/schema.ts';
import {
  CustomerPortalCustomer,
  CustomGrantProperties,
  DownloadablesGrantProperties,
  FeatureFlagGrantProperties,
  grantShape,
  LicenseKeysGrantProperties,
  MeterCreditGrantProperties,
} from './schema.ts';

const subscriberBenefit = <T extends OfferedType, P extends z.ZodType>(type: T, properties: P, id: string) =>
  z
    .object({
      ...resourceShape,
      type: z.literal(type),
      description: z.string(),
      selectable: z.boolean(),
      deletable: z.boolean(),
      is_deleted: z.boolean(),
      organization_id: Id,
      organization: BenefitSubscriberOrganization,
      properties,
    })
    .meta({ id });

const customerGrant = <B extends z.ZodType, P extends z.ZodType>(benefit: B, properties: P, id: string) =>
  z
    .object({
      ...grantShape,
      granted_at: Timestamp.nullable(),
      revoked_at: Timestamp.nullable(),
      customer: CustomerPortalCustomer,
      benefit,
      properties,
    })
    .meta({ id });

const ActiveFiles = z
  .object({ active_files: z.array(Id) })
  .meta({ id: 'BenefitDownloadablesSubscriberProperties' });

const named = <P extends z.ZodType>(properties: P, id: string) => properties.clone().meta({ id }) as P;

/** A grant as its holder sees it. */
export const CustomerBenefitGrant = z
  .union([
    customerGrant(
      subscriberBenefit(
        'custom',
        named(subscriberProperties.custom, 'BenefitCustomSubscriberProperties'),
        'BenefitCustomSubscriber',
      ),
      CustomGrantProperties,
      'CustomerBenefitGrantCustom',
    ),
    customerGrant(
      subscriberBenefit('downloadables', ActiveFiles, 'BenefitDownloadablesSubscriber'),
      DownloadablesGrantProperties,
      'CustomerBenefitGrantDownloadables',
    ),
    customerGrant(
      subscriberBenefit(
        'license_keys',
        named(subscriberProperties.license_keys, 'BenefitLicenseKeysSubscriberProperties'),
        'BenefitLicenseKeysSubscriber',
      ),
      LicenseKeysGrantProperties,
      'CustomerBenefitGrantLicenseKeys',
    ),
    customerGrant(
      subscriberBenefit(
        'meter_credit',
        named(subscriberProperties.meter_credit, 'BenefitMeterCreditSubscriberProperties'),
        'BenefitMeterCreditSubscriber',
      ),
      MeterCreditGrantProperties,
      'CustomerBenefitGrantMeterCredit',
    ),
    customerGrant(
      subscriberBenefit(
        'feature_flag',
        named(subscriberProperties.feature_flag, 'BenefitFeatureFlagSubscriberProperties'),
        'BenefitFeatureFlagSubscriber',
      ),
      FeatureFlagGrantProperties,
      'CustomerBenefitGrantFeatureFlag',
    ),
  ])
  .meta({ id: 'CustomerBenefitGrant' });
export type CustomerBenefitGrantWire = z.output<typeof CustomerBenefitGrant>;

const update = <T extends OfferedType>(type: T, id: string) =>
  z.object({ benefit_type: z.literal(type) }).meta({ id });

/** Benefits that need nothing from the customer have nothing to change. */
export const CustomerBenefitGrantUpdate = z
  .discriminatedUnion('benefit_type', [
    update('custom', 'CustomerBenefitGrantCustomUpdate'),
    update('downloadables', 'CustomerBenefitGrantDownloadablesUpdate'),
    update('license_keys', 'CustomerBenefitGrantLicenseKeysUpdate'),
    update('meter_credit', 'CustomerBenefitGrantMeterCreditUpdate'),
    update('feature_flag', 'CustomerBenefitGrantFeatureFlagUpdate'),
  ])
  .meta({ id: 'CustomerBenefitGrantUpdate' });

import { Id, Metadata, MetadataInput, resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { type BenefitType, benefitTypes, benefitVisibilities, offeredTypes } from './benefit.ts';

export const BenefitTypeShape = z.enum(benefitTypes).meta({ id: 'BenefitType' });
const Visibility = z.enum(benefitVisibilities).meta({ id: 'BenefitVisibility' });

const MAX_NOTE = 100_000;
const MAX_FILES = 500;
const MAX_PREFIX = 100;
const positive = z.int32().gt(0);

const CustomProperties = z
  .object({ note: z.string().max(MAX_NOTE).nullable() })
  .meta({ id: 'BenefitCustomProperties' });
const CustomCreateProperties = z
  .object({ note: z.string().max(MAX_NOTE).nullish() })
  .meta({ id: 'BenefitCustomCreateProperties' });

const DownloadablesProperties = z
  .object({ archived: z.record(Id, z.boolean()), files: z.array(Id) })
  .meta({ id: 'BenefitDownloadablesProperties' });
const DownloadablesCreateProperties = z
  .object({
    archived: z
      .record(Id, z.boolean())
      .refine((map) => Object.keys(map).length <= MAX_FILES, { error: `At most ${MAX_FILES} files` })
      .default({}),
    files: z.array(Id).min(1).max(MAX_FILES),
  })
  .meta({ id: 'BenefitDownloadablesCreateProperties' });

const MAX_TTL = { year: 457, month: 1_200, day: 36_500 };
const expiration = z.object({ ttl: z.int().gt(0), timeframe: z.enum(['year', 'month', 'day']) });
const LicenseKeyExpiration = expiration
  .refine(({ ttl, timeframe }) => ttl <= MAX_TTL[timeframe], {
    error: `At most ${MAX_TTL.year} years, ${MAX_TTL.month} months or ${MAX_TTL.day} days.`,
    path: ['ttl'],
  })
  .meta({ id: 'BenefitLicenseKeyExpirationProperties' });
const LicenseKeysProperties = z
  .object({
    prefix: z.string().nullable(),
    expires: LicenseKeyExpiration.nullable(),
    activations: z
      .object({ limit: z.int(), enable_customer_admin: z.boolean() })
      .meta({ id: 'BenefitLicenseKeyActivationProperties' })
      .nullable(),
    limit_usage: z.int().nullable(),
  })
  .meta({ id: 'BenefitLicenseKeysProperties' });
const LicenseKeysCreateProperties = z
  .object({
    prefix: z.string().max(MAX_PREFIX).nullish(),
    expires: LicenseKeyExpiration.nullish(),
    activations: z
      .object({ limit: positive, enable_customer_admin: z.boolean() })
      .meta({ id: 'BenefitLicenseKeyActivationCreateProperties' })
      .nullish(),
    limit_usage: positive.nullish(),
  })
  .meta({ id: 'BenefitLicenseKeysCreateProperties' });

const MeterCreditProperties = z
  .object({ units: z.int(), rollover: z.boolean(), meter_id: Id })
  .meta({ id: 'BenefitMeterCreditProperties' });
const MeterCreditCreateProperties = z
  .object({ units: positive, rollover: z.boolean(), meter_id: Id })
  .meta({ id: 'BenefitMeterCreditCreateProperties' });

const FeatureFlagProperties = z.object({}).meta({ id: 'BenefitFeatureFlagProperties' });
const FeatureFlagCreateProperties = z.object({}).meta({ id: 'BenefitFeatureFlagCreateProperties' });

const publicShape = {
  ...resourceShape,
  description: z.string(),
  selectable: z.boolean(),
  deletable: z.boolean(),
  is_deleted: z.boolean(),
  organization_id: Id,
};

const read = <T extends BenefitType, P extends z.ZodType>(type: T, properties: P, id: string) =>
  z
    .object({
      ...publicShape,
      type: z.literal(type),
      metadata: Metadata,
      visibility: Visibility,
      properties,
      visibility_configurable: z.boolean().meta({ readOnly: true }),
    })
    .meta({ id });

export const Benefit = z
  .discriminatedUnion('type', [
    read('custom', CustomProperties, 'BenefitCustom'),
    read('downloadables', DownloadablesProperties, 'BenefitDownloadables'),
    read('license_keys', LicenseKeysProperties, 'BenefitLicenseKeys'),
    read('meter_credit', MeterCreditProperties, 'BenefitMeterCredit'),
    read('feature_flag', FeatureFlagProperties, 'BenefitFeatureFlag'),
  ])
  .meta({ id: 'Benefit' });
export type BenefitWire = z.output<typeof Benefit>;

/** A benefit as anybody may see it. */
export const BenefitPublic = z
  .object({ ...publicShape, type: BenefitTypeShape })
  .meta({ id: 'BenefitPublic' });

const description = z.string().min(3).max(42);

const create = <T extends BenefitType, P extends z.ZodType>(type: T, properties: P, id: string) =>
  z
    .object({
      metadata: MetadataInput.optional(),
      type: z.literal(type),
      description,
      organization_id: Id.nullish(),
      visibility: Visibility.nullish(),
      properties,
    })
    .meta({ id });

/** The other types need an account with another platform. */
const refusal = {
  error: (issue: { code?: string }) =>
    issue.code === 'invalid_union'
      ? `Benefits can be made of these types: ${offeredTypes.join(', ')}. Others are not available yet.`
      : undefined,
};

export const BenefitCreate = z
  .discriminatedUnion(
    'type',
    [
      create('custom', CustomCreateProperties, 'BenefitCustomCreate'),
      create('downloadables', DownloadablesCreateProperties, 'BenefitDownloadablesCreate'),
      create('license_keys', LicenseKeysCreateProperties, 'BenefitLicenseKeysCreate'),
      create('meter_credit', MeterCreditCreateProperties, 'BenefitMeterCreditCreate'),
      create('feature_flag', FeatureFlagCreateProperties, 'BenefitFeatureFlagCreate'),
    ],
    refusal,
  )
  .meta({ id: 'BenefitCreate' });
export type BenefitCreate = z.output<typeof BenefitCreate>;

const update = <T extends BenefitType, P extends z.ZodType>(type: T, properties: P, id: string) =>
  z
    .object({
      metadata: MetadataInput.optional(),
      description: description.nullish(),
      visibility: Visibility.nullish(),
      type: z.literal(type),
      properties: properties.nullish(),
    })
    .meta({ id });

export const BenefitUpdate = z.discriminatedUnion(
  'type',
  [
    update('custom', CustomCreateProperties, 'BenefitCustomUpdate'),
    update('downloadables', DownloadablesCreateProperties, 'BenefitDownloadablesUpdate'),
    update('license_keys', LicenseKeysCreateProperties, 'BenefitLicenseKeysUpdate'),
    update('meter_credit', MeterCreditCreateProperties, 'BenefitMeterCreditUpdate'),
    update('feature_flag', FeatureFlagCreateProperties, 'BenefitFeatureFlagUpdate'),
  ],
  refusal,
);
export type BenefitUpdate = z.output<typeof BenefitUpdate>;

/** Names of the properties schemas as customers may read them. */
export const subscriberProperties = {
  custom: CustomProperties,
  license_keys: LicenseKeysProperties,
  meter_credit: MeterCreditProperties,
  feature_flag: FeatureFlagProperties,
} as const;

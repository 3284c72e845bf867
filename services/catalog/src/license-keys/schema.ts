import {
  Id,
  Int32,
  Metadata,
  MetadataInput,
  resourceShape,
  Timestamp,
  TimestampInput,
} from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { LicenseKeyCustomer } from '../benefit-grants/schema.ts';
import { licenseKeyStatuses } from './license-key.ts';

export const LicenseKeyStatusShape = z.enum(licenseKeyStatuses).meta({ id: 'LicenseKeyStatus' });

const keyShape = {
  ...resourceShape,
  organization_id: Id,
  customer_id: Id,
  customer: LicenseKeyCustomer,
  benefit_id: Id,
  key: z.string(),
  display_key: z.string(),
  status: LicenseKeyStatusShape,
  limit_activations: z.int().nullable(),
  usage: z.int(),
  limit_usage: z.int().nullable(),
  validations: z.int(),
  last_validated_at: Timestamp.nullable(),
  expires_at: Timestamp.nullable(),
};

export const LicenseKeyRead = z.object(keyShape).meta({ id: 'LicenseKeyRead' });
export type LicenseKeyWire = z.output<typeof LicenseKeyRead>;

const activationShape = {
  id: Id,
  license_key_id: Id,
  label: z.string(),
  meta: Metadata,
  created_at: Timestamp,
  modified_at: Timestamp.nullable(),
};
export const LicenseKeyActivationBase = z.object(activationShape).meta({ id: 'LicenseKeyActivationBase' });

export const LicenseKeyActivationRead = z
  .object({ ...activationShape, license_key: LicenseKeyRead })
  .meta({ id: 'LicenseKeyActivationRead' });
export const LicenseKeyWithActivations = z
  .object({ ...keyShape, activations: z.array(LicenseKeyActivationBase) })
  .meta({ id: 'LicenseKeyWithActivations' });
export const ValidatedLicenseKey = z
  .object({ ...keyShape, activation: LicenseKeyActivationBase.nullish() })
  .meta({ id: 'ValidatedLicenseKey' });

const limit = z.int32().gt(0).nullish();

export const LicenseKeyUpdate = z
  .object({
    status: LicenseKeyStatusShape.nullish(),
    usage: Int32.optional(),
    limit_activations: limit,
    limit_usage: limit,
    expires_at: TimestampInput.nullish(),
  })
  .meta({ id: 'LicenseKeyUpdate' });
export type LicenseKeyUpdate = z.output<typeof LicenseKeyUpdate>;

const secret = z.string().max(255);

export const LicenseKeyValidate = z
  .object({
    key: secret,
    organization_id: Id,
    activation_id: Id.nullish(),
    benefit_id: Id.nullish(),
    customer_id: Id.nullish(),
    increment_usage: z.int32().min(0).nullish(),
    conditions: MetadataInput.optional(),
  })
  .meta({ id: 'LicenseKeyValidate' });
export type LicenseKeyValidate = z.output<typeof LicenseKeyValidate>;

export const LicenseKeyActivate = z
  .object({
    key: secret,
    organization_id: Id,
    label: z.string().max(1_000),
    conditions: MetadataInput.optional(),
    meta: MetadataInput.optional(),
  })
  .meta({ id: 'LicenseKeyActivate' });
export type LicenseKeyActivate = z.output<typeof LicenseKeyActivate>;

export const LicenseKeyDeactivate = z
  .object({ key: secret, organization_id: Id, activation_id: Id })
  .meta({ id: 'LicenseKeyDeactivate' });
export type LicenseKeyDeactivate = z.output<typeof LicenseKeyDeactivate>;

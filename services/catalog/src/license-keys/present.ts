import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import { presentCustomer } from '../benefit-grants/present.ts';
import type { CustomerCopy } from '../replicas.ts';
import { type Activation, displayKey, type LicenseKey } from './license-key.ts';
import type { LicenseKeyWire } from './schema.ts';

export interface LicenseKeyView {
  key: LicenseKey;
  customer: CustomerCopy | undefined;
}

export const presentLicenseKey = ({ key, customer }: LicenseKeyView): LicenseKeyWire => ({
  ...presentRecorded(key),
  organization_id: key.organization_id,
  customer_id: key.customer_id,
  customer: presentCustomer(customer, key),
  benefit_id: key.benefit_id,
  key: key.key,
  display_key: displayKey(key.key),
  status: key.status,
  limit_activations: key.limit_activations,
  usage: key.usage,
  limit_usage: key.limit_usage,
  validations: key.validations,
  last_validated_at: iso(key.last_validated_at),
  expires_at: iso(key.expires_at),
});

/** What an activation was conditioned on is not shown: it is the client's secret to repeat. */
export const presentActivation = (activation: Activation) => ({
  ...presentRecorded(activation),
  license_key_id: activation.license_key_id,
  label: activation.label,
  meta: activation.meta,
});

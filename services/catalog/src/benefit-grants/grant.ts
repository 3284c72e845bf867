import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { activeFiles, type Benefit } from '../benefits/benefit.ts';

/** Who holds a grant: the customer itself, or one of its members by way of a seat. */
export interface Holder {
  customer_id: string;
  member_id: string | null;
}

export const isSameHolder = (a: Holder, b: Holder): boolean =>
  a.customer_id === b.customer_id && a.member_id === b.member_id;

export interface GrantError {
  message: string;
  type: string;
  timestamp: string;
}

/** One benefit of one holder from one subscription or order. */
export interface Grant extends Recorded, Holder {
  organization_id: string;
  entitlement_id: string;
  subscription_id: string | null;
  order_id: string | null;
  benefit_id: string;
  /** At most one of the two is set. */
  granted_at: Date | null;
  revoked_at: Date | null;
  /** Set while the merchant holds the grant back by hand: nothing but the merchant grants it again. */
  withdrawn_at: Date | null;
  properties: GrantProperties;
  error: GrantError | null;
}

export interface GrantProperties {
  files?: string[];
  license_key_id?: string;
  display_key?: string;
  last_credited_meter_id?: string;
  last_credited_units?: number;
  last_credited_at?: string;
}

export const isGranted = (grant: Pick<Grant, 'granted_at'>): boolean => grant.granted_at !== null;

/** What happened to a grant; each kind has its event and its webhook. */
export type GrantChange = 'granted' | 'cycled' | 'updated' | 'revoked';

export const granted = (grant: Grant, properties: GrantProperties, now: Date): Grant => ({
  ...grant,
  granted_at: now,
  revoked_at: null,
  withdrawn_at: null,
  modified_at: now,
  properties,
  error: null,
});

export const revoked = (grant: Grant, now: Date): Grant => ({
  ...grant,
  granted_at: null,
  revoked_at: now,
  modified_at: now,
});

/** Properties of a fresh or renewed grant, as far as the benefit alone decides them. */
export function grantedProperties(benefit: Benefit, before: GrantProperties, now: Date): GrantProperties {
  switch (benefit.type) {
    case 'downloadables':
      return { files: activeFiles(benefit.properties) };
    case 'meter_credit':
      return {
        last_credited_meter_id: benefit.properties.meter_id,
        last_credited_units: benefit.properties.units,
        last_credited_at: now.toISOString(),
      };
    case 'license_keys':
      return before;
    default:
      return {};
  }
}

/** Properties after the benefit has changed: credits already given stay what they were. */
export const updatedProperties = (benefit: Benefit, before: GrantProperties): GrantProperties =>
  benefit.type === 'downloadables' ? { ...before, files: activeFiles(benefit.properties) } : before;

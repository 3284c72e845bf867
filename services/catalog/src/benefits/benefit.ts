import type { Recorded } from '@tributary/runtime/db/columns.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';

export const benefitTypes = [
  'custom',
  'discord',
  'github_repository',
  'downloadables',
  'license_keys',
  'meter_credit',
  'feature_flag',
  'slack_shared_channel',
] as const;
export type BenefitType = (typeof benefitTypes)[number];

/** The types that can be made; the others need an account of another platform to be connected. */
export const offeredTypes = [
  'custom',
  'downloadables',
  'license_keys',
  'meter_credit',
  'feature_flag',
] as const;
export type OfferedType = (typeof offeredTypes)[number];
export const isOffered = (type: string): type is OfferedType =>
  (offeredTypes as readonly string[]).includes(type);

export const benefitVisibilities = ['draft', 'private', 'public'] as const;
export type BenefitVisibility = (typeof benefitVisibilities)[number];

export interface LicenseKeySettings {
  prefix: string | null;
  expires: { ttl: number; timeframe: 'year' | 'month' | 'day' } | null;
  activations: { limit: number; enable_customer_admin: boolean } | null;
  limit_usage: number | null;
}

export interface PropertiesByType {
  custom: { note: string | null };
  feature_flag: Record<never, never>;
  downloadables: { files: string[]; archived: Record<string, boolean> };
  license_keys: LicenseKeySettings;
  meter_credit: { units: number; rollover: boolean; meter_id: string };
}

interface BenefitBase extends Recorded {
  organization_id: string;
  deleted_at: Date | null;
  description: string;
  /** Whether the merchant may attach it to products and take it off. */
  selectable: boolean;
  deletable: boolean;
  visibility: BenefitVisibility;
  metadata: Metadata;
}

export type BenefitOf<T extends OfferedType> = BenefitBase & { type: T; properties: PropertiesByType[T] };
export type Benefit = { [T in OfferedType]: BenefitOf<T> }[OfferedType];

const CONFIGURABLE: readonly BenefitType[] = ['custom', 'license_keys', 'meter_credit', 'feature_flag'];

/** Whether the merchant chooses who sees it; otherwise everybody does. */
export const isVisibilityConfigurable = (type: BenefitType): boolean => CONFIGURABLE.includes(type);

/** Feature flags steer software, so customers are not told of them unless the merchant wants it. */
export const defaultVisibility = (type: BenefitType): BenefitVisibility =>
  type === 'feature_flag' ? 'private' : 'public';

/** The files a customer may download now. */
export const activeFiles = ({ files, archived }: PropertiesByType['downloadables']): string[] =>
  files.filter((id) => archived[id] !== true);

/**
 * Whether existing grants must follow a change of properties. Credits already given stay as they were: the next
 * cycle reads the new number.
 */
export const reachesGrants = (type: OfferedType): boolean => type !== 'meter_credit';

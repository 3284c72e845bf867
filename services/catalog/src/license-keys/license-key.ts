import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { BadRequest, NotPermitted, notFound, Problem } from '@tributary/runtime/http/problem.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import { advance } from '@tributary/runtime/period.ts';
import type { LicenseKeySettings } from '../benefits/benefit.ts';

export const licenseKeyStatuses = ['granted', 'revoked', 'disabled'] as const;
export type LicenseKeyStatus = (typeof licenseKeyStatuses)[number];

export interface LicenseKey extends Recorded {
  organization_id: string;
  customer_id: string;
  member_id: string | null;
  benefit_id: string;
  benefit_grant_id: string;
  key: string;
  status: LicenseKeyStatus;
  limit_activations: number | null;
  usage: number;
  limit_usage: number | null;
  validations: number;
  last_validated_at: Date | null;
  expires_at: Date | null;
}

export interface Activation extends Recorded {
  license_key_id: string;
  label: string;
  conditions: Metadata;
  meta: Metadata;
}

/** A new key: 122 random bits as an upper-case UUID, behind the prefix if there is one. */
export function generateKey(prefix: string | null): string {
  const body = randomUUID().toUpperCase();
  return prefix ? `${prefix.toUpperCase()}-${body}` : body;
}

const SHOWN = 6;

/** The key as it may be shown to somebody who need not know it. */
export const displayKey = (key: string): string => `****-${key.slice(-SHOWN)}`;

/** Limits a benefit puts on its keys. A key from a subscription lives as long as the subscription. */
export function limitsOf(settings: LicenseKeySettings, grantedAt: Date, isFromSubscription: boolean) {
  const { expires, activations, limit_usage } = settings;
  return {
    limit_activations: activations?.limit ?? null,
    limit_usage,
    expires_at:
      expires && !isFromSubscription
        ? advance(grantedAt, { interval: expires.timeframe, count: expires.ttl })
        : null,
  };
}

/** A key's status after its grant came or went; one that the merchant disabled stays so. */
export function statusWithGrant(status: LicenseKeyStatus, isGranted: boolean): LicenseKeyStatus {
  if (status === 'disabled') return 'disabled';
  return isGranted ? 'granted' : 'revoked';
}

const isExpired = (key: LicenseKey, now: Date): boolean => key.expires_at !== null && key.expires_at <= now;

const unknownKey = () => notFound('License key not found.');

export interface ValidationRequest {
  /** The activation named in the request: undefined for none named, null for one the key does not have. */
  activation: Activation | null | undefined;
  conditions: Metadata;
  benefit_id?: string | null;
  customer_id?: string | null;
  increment_usage?: number | null;
}

/** Checks a key in the order integrators may rely on and counts the validation; all but the last refusal is a 404. */
export function validated(key: LicenseKey, request: ValidationRequest, now: Date): LicenseKey {
  const { activation, conditions, benefit_id, customer_id } = request;
  if (key.status !== 'granted' || isExpired(key, now)) throw unknownKey();
  if (activation === null) throw unknownKey();
  if (activation && hasConditions(activation) && !isDeepStrictEqual(activation.conditions, conditions))
    throw unknownKey();
  if (benefit_id != null && benefit_id !== key.benefit_id) throw unknownKey();
  if (customer_id != null && customer_id !== key.customer_id) throw unknownKey();
  const increment = request.increment_usage ?? 0;
  if (increment > 0 && key.limit_usage !== null && increment > key.limit_usage - key.usage)
    throw new Problem(
      BadRequest,
      `Only ${Math.max(0, key.limit_usage - key.usage)} uses are left on this key.`,
    );
  return {
    ...key,
    modified_at: now,
    validations: key.validations + 1,
    last_validated_at: now,
    usage: key.usage + increment,
  };
}

const hasConditions = ({ conditions }: Activation): boolean => Object.keys(conditions).length > 0;

/** Refuses an activation that the key does not allow. @param taken activations the key has now */
export function refuseActivation(key: LicenseKey, taken: number, now: Date): void {
  if (key.status !== 'granted') throw new Problem(NotPermitted, 'License key is no longer active.');
  if (isExpired(key, now)) throw new Problem(NotPermitted, 'License key has expired.');
  if (key.limit_activations === null)
    throw new Problem(NotPermitted, 'This license key does not support activations.');
  if (taken >= key.limit_activations)
    throw new Problem(NotPermitted, 'License key activation limit has been reached.');
}

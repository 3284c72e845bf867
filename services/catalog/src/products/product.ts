import type { Recorded } from '@tributary/runtime/db/columns.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import type { Cadence, Interval } from '@tributary/runtime/period.ts';
import type { Benefit } from '../benefits/benefit.ts';
import type { AttachedCustomField } from '../custom-fields/custom-field.ts';
import type { StoredFile } from '../files/file.ts';
import type { MeterCopy } from '../replicas.ts';
import type { AmountType, Price } from './price.ts';

export const visibilities = ['draft', 'private', 'public'] as const;
export type Visibility = (typeof visibilities)[number];

export interface Product extends Recorded {
  organization_id: string;
  name: string;
  description: string | null;
  visibility: Visibility;
  recurring_interval: Interval | null;
  recurring_interval_count: number | null;
  trial_interval: Interval | null;
  trial_interval_count: number | null;
  meter_interval: Interval | null;
  meter_interval_count: number | null;
  is_archived: boolean;
  metadata: Metadata;
  /** Kept beside the prices so that lists can sort by them. */
  first_amount_type: AmountType;
  first_amount: number | null;
}

/** A product with all that its representation embeds. */
export interface ProductView {
  product: Product;
  /** Prices on sale. */
  prices: Price[];
  benefits: Benefit[];
  medias: StoredFile[];
  custom_fields: AttachedCustomField[];
  meters: ReadonlyMap<string, MeterCopy>;
}

export interface Fault {
  path: string[];
  msg: string;
}

/** A trial is an interval and a count, on a recurring product, or neither. */
export function trialFaults(
  trial: Pick<Product, 'trial_interval' | 'trial_interval_count' | 'recurring_interval'>,
): Fault[] {
  const { trial_interval, trial_interval_count, recurring_interval } = trial;
  if (trial_interval !== null && trial_interval_count === null)
    return [{ path: ['trial_interval_count'], msg: 'Required together with trial_interval.' }];
  if (trial_interval === null && trial_interval_count !== null)
    return [{ path: ['trial_interval'], msg: 'Required together with trial_interval_count.' }];
  if (trial_interval !== null && recurring_interval === null)
    return [{ path: ['trial_interval'], msg: 'Only recurring products can have a trial.' }];
  return [];
}

/** Metering periods must fill the billing period exactly, and more than once. */
export function meterIntervalFaults(meter: Cadence | null, billing: Cadence): Fault[] {
  if (meter === null) return [];
  const [meterFamily, meterLength] = lengthOf(meter);
  const [billingFamily, billingLength] = lengthOf(billing);
  const divides =
    meterFamily === billingFamily && meterLength < billingLength && billingLength % meterLength === 0;
  return divides
    ? []
    : [{ path: ['meter_interval'], msg: 'Must be shorter than the recurring interval and divide it.' }];
}

/** Days and weeks never divide months and years, whose length varies. */
function lengthOf({ interval, count }: Cadence): ['days' | 'months', number] {
  switch (interval) {
    case 'day':
      return ['days', count];
    case 'week':
      return ['days', count * 7];
    case 'month':
      return ['months', count];
    case 'year':
      return ['months', count * 12];
  }
}

/** Benefits the merchant may not choose stay as they are: neither newly attached nor taken off. */
export function lockedBenefits(
  current: readonly Pick<Benefit, 'id' | 'selectable'>[],
  wanted: readonly Pick<Benefit, 'id' | 'selectable'>[],
): { added: string[]; removed: string[] } {
  const currentIds = new Set(current.map((benefit) => benefit.id));
  const wantedIds = new Set(wanted.map((benefit) => benefit.id));
  return {
    added: wanted.filter((benefit) => !benefit.selectable && !currentIds.has(benefit.id)).map(({ id }) => id),
    removed: current
      .filter((benefit) => !benefit.selectable && !wantedIds.has(benefit.id))
      .map(({ id }) => id),
  };
}

import type { Interval } from '@tributary/runtime/period.ts';
import type { Price } from './price.ts';

/** A product, as its owner presents it; what commerce reads of it is named, the rest travels along. */
export interface ProductCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  trial_interval: Interval | null;
  trial_interval_count: number | null;
  name: string;
  description: string | null;
  visibility: 'draft' | 'private' | 'public';
  recurring_interval: Interval | null;
  recurring_interval_count: number | null;
  meter_interval: Interval | null;
  meter_interval_count: number | null;
  is_recurring: boolean;
  is_archived: boolean;
  organization_id: string;
  metadata: Readonly<Record<string, string | number | boolean>>;
  prices: readonly Price[];
  benefits: readonly ProductBenefit[];
  medias: readonly unknown[];
  attached_custom_fields: readonly AttachedCustomField[];
}

/** The part of a benefit that buyers see. */
export interface ProductBenefit {
  id: string;
  created_at: string;
  modified_at: string | null;
  type: string;
  description: string;
  selectable: boolean;
  deletable: boolean;
  is_deleted: boolean;
  organization_id: string;
  visibility?: 'draft' | 'private' | 'public';
}

export interface AttachedCustomField {
  custom_field_id: string;
  order: number;
  required: boolean;
  custom_field: {
    id: string;
    type: 'text' | 'number' | 'date' | 'checkbox' | 'select';
    slug: string;
    name: string;
    properties: Readonly<Record<string, unknown>>;
  };
}

/** Whether a checkout may sell it now. */
export const isPurchasable = (product: ProductCopy): boolean =>
  !product.is_archived && product.visibility !== 'draft';

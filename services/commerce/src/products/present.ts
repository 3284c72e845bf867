import type { Price } from './price.ts';
import type { ProductBenefit, ProductCopy } from './product.ts';

const presentBase = (product: ProductCopy) => ({
  id: product.id,
  created_at: product.created_at,
  modified_at: product.modified_at,
  trial_interval: product.trial_interval,
  trial_interval_count: product.trial_interval_count,
  name: product.name,
  description: product.description,
  visibility: product.visibility,
  recurring_interval: product.recurring_interval,
  recurring_interval_count: product.recurring_interval_count,
  meter_interval: product.meter_interval,
  meter_interval_count: product.meter_interval_count,
  is_recurring: product.is_recurring,
  is_archived: product.is_archived,
  organization_id: product.organization_id,
});

/** @param prices instead of the catalog's, where a session has its own */
export const presentCheckoutProduct = (product: ProductCopy, prices: readonly Price[] = product.prices) => ({
  ...presentBase(product),
  prices,
  benefits: product.benefits.filter(isShown).map(presentBenefit),
  medias: product.medias,
});

export const presentOrderProduct = (product: ProductCopy) => ({
  metadata: product.metadata,
  ...presentBase(product),
});

const isShown = ({ visibility }: ProductBenefit) => visibility === undefined || visibility === 'public';

const presentBenefit = (benefit: ProductBenefit) => ({
  id: benefit.id,
  created_at: benefit.created_at,
  modified_at: benefit.modified_at,
  type: benefit.type,
  description: benefit.description,
  selectable: benefit.selectable,
  deletable: benefit.deletable,
  is_deleted: benefit.is_deleted,
  organization_id: benefit.organization_id,
});

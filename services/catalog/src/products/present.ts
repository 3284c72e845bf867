import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import { presentBenefit, presentPublicBenefit } from '../benefits/present.ts';
import { presentAttached } from '../custom-fields/present.ts';
import type { FileLinks } from '../files/links.ts';
import { presentFile } from '../files/present.ts';
import type { MeterCopy } from '../replicas.ts';
import type { Price } from './price.ts';
import type { PriceWire } from './price-schema.ts';
import type { ProductView } from './product.ts';
import type { ProductWire } from './schema.ts';

export function presentPrice(price: Price, meters: ReadonlyMap<string, MeterCopy>): PriceWire {
  const common = {
    ...presentRecorded(price),
    source: price.source,
    price_currency: price.price_currency,
    tax_behavior: price.tax_behavior,
    is_archived: price.is_archived,
    product_id: price.product_id,
    ...(price.legacy_recurring_interval
      ? { type: 'recurring', recurring_interval: price.legacy_recurring_interval, legacy: true }
      : {}),
  };
  return { ...common, ...presentTerms(price, meters) } as PriceWire;
}

function presentTerms(price: Price, meters: ReadonlyMap<string, MeterCopy>) {
  const { amount_type } = price;
  switch (amount_type) {
    case 'fixed':
      return { amount_type, price_amount: price.price_amount };
    case 'custom': {
      const { minimum_amount, maximum_amount, preset_amount } = price;
      return { amount_type, minimum_amount, maximum_amount, preset_amount };
    }
    case 'seat_based': {
      const { tiers } = price.seat_tiers!;
      const bounds = { minimum_seats: tiers[0]!.min_seats, maximum_seats: tiers.at(-1)!.max_seats };
      return { amount_type, seat_tiers: { ...price.seat_tiers, ...bounds } };
    }
    case 'metered_unit': {
      const { unit_amount, cap_amount, meter_id } = price;
      return { amount_type, unit_amount, cap_amount, meter_id, meter: presentMeter(meter_id!, meters) };
    }
  }
}

function presentMeter(id: string, meters: ReadonlyMap<string, MeterCopy>) {
  const meter = meters.get(id);
  return {
    id,
    name: meter?.name ?? '',
    unit: meter?.unit ?? ('scalar' as const),
    custom_label: meter?.custom_label ?? null,
    custom_multiplier: meter?.custom_multiplier ?? null,
  };
}

const presentCore = ({ product, prices, medias, meters }: ProductView, links: FileLinks) => ({
  ...presentRecorded(product),
  trial_interval: product.trial_interval,
  trial_interval_count: product.trial_interval_count,
  name: product.name,
  description: product.description,
  visibility: product.visibility,
  recurring_interval: product.recurring_interval,
  recurring_interval_count: product.recurring_interval_count,
  meter_interval: product.meter_interval,
  meter_interval_count: product.meter_interval_count,
  is_recurring: product.recurring_interval !== null,
  is_archived: product.is_archived,
  organization_id: product.organization_id,
  prices: prices.map((price) => presentPrice(price, meters)),
  medias: medias.map((file) => presentFile(file, links) as ProductWire['medias'][number]),
});

export const presentProduct = (view: ProductView, links: FileLinks): ProductWire => ({
  ...presentCore(view, links),
  metadata: view.product.metadata,
  benefits: view.benefits.map(presentBenefit),
  attached_custom_fields: view.custom_fields.map(presentAttached),
});

/** The product as buyers see it: without metadata and without benefits that are not public. */
export const presentCustomerProduct = (view: ProductView, links: FileLinks) => ({
  ...presentCore(view, links),
  benefits: view.benefits.filter((benefit) => benefit.visibility === 'public').map(presentPublicBenefit),
});

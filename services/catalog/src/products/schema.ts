import { Id, Metadata, MetadataInput, resourceShape } from '@tributary/runtime/http/wire.ts';
import { intervals } from '@tributary/runtime/period.ts';
import { z } from 'zod';
import { Benefit, BenefitPublic } from '../benefits/schema.ts';
import { AttachedCustomField, AttachedCustomFieldCreate } from '../custom-fields/schema.ts';
import { ProductMediaFileRead } from '../files/schema.ts';
import { AnyProductPrice, PriceCreate, RecurringInterval } from './price-schema.ts';
import { visibilities } from './product.ts';

export const ProductVisibility = z.enum(visibilities).meta({ id: 'ProductVisibility' });
const TrialInterval = z.enum(intervals).meta({ id: 'TrialInterval' });

const MAX_PRICES = 1_000;
const MAX_MEDIAS = 100;
const MAX_FIELDS = 100;
const MAX_BENEFITS = 500;
const MAX_DESCRIPTION = 100_000;

const readShape = {
  ...resourceShape,
  trial_interval: TrialInterval.nullable(),
  trial_interval_count: z.int().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  visibility: ProductVisibility,
  recurring_interval: RecurringInterval.nullable(),
  recurring_interval_count: z.int().nullable(),
  meter_interval: RecurringInterval.nullable(),
  meter_interval_count: z.int().nullable(),
  is_recurring: z.boolean(),
  is_archived: z.boolean(),
  organization_id: Id,
  prices: z.array(AnyProductPrice),
  medias: z.array(ProductMediaFileRead),
};

export const Product = z
  .object({
    ...readShape,
    metadata: Metadata,
    benefits: z.array(Benefit),
    attached_custom_fields: z.array(AttachedCustomField),
  })
  .meta({ id: 'Product' });
export type ProductWire = z.output<typeof Product>;

/** A product as the portal shows it: without what is the merchant's own. */
export const CustomerProduct = z
  .object({ ...readShape, benefits: z.array(BenefitPublic) })
  .meta({ id: 'CustomerProduct' });

const count = (most: number) => z.int32().min(1).max(most);
const name = z.string().min(3).max(64);
const description = z.string().max(MAX_DESCRIPTION).nullish();
const medias = z.array(Id).max(MAX_MEDIAS).nullish();
const trialShape = {
  trial_interval: TrialInterval.nullish(),
  trial_interval_count: count(1_000).nullish(),
};

const createShape = {
  metadata: MetadataInput.optional(),
  name,
  description,
  visibility: ProductVisibility.optional(),
  prices: z.array(PriceCreate).min(1).max(MAX_PRICES),
  medias,
  attached_custom_fields: z.array(AttachedCustomFieldCreate).max(MAX_FIELDS).optional(),
  organization_id: Id.nullish(),
};

const ProductCreateRecurring = z
  .object({
    ...createShape,
    ...trialShape,
    recurring_interval: RecurringInterval,
    recurring_interval_count: count(999).default(1),
    meter_interval: RecurringInterval.nullish(),
    meter_interval_count: count(999).nullish(),
  })
  .meta({ id: 'ProductCreateRecurring' });

const ProductCreateOneTime = z
  .object({
    ...createShape,
    recurring_interval: z.null().optional(),
    recurring_interval_count: z.null().optional(),
  })
  .meta({ id: 'ProductCreateOneTime' });

export const ProductCreate = z
  .union([ProductCreateRecurring, ProductCreateOneTime])
  .meta({ id: 'ProductCreate' });
export type ProductCreate = z.output<typeof ProductCreate>;

const ExistingProductPrice = z.object({ id: Id }).meta({ id: 'ExistingProductPrice' });

export const ProductUpdate = z
  .object({
    metadata: MetadataInput.optional(),
    ...trialShape,
    name: name.nullish(),
    description,
    recurring_interval: RecurringInterval.nullish(),
    recurring_interval_count: count(999).nullish(),
    is_archived: z.boolean().nullish(),
    visibility: ProductVisibility.nullish(),
    prices: z
      .array(z.union([ExistingProductPrice, PriceCreate]))
      .max(MAX_PRICES)
      .nullish(),
    medias,
    attached_custom_fields: z.array(AttachedCustomFieldCreate).max(MAX_FIELDS).nullish(),
  })
  .meta({ id: 'ProductUpdate' });
export type ProductUpdate = z.output<typeof ProductUpdate>;

export const ProductBenefitsUpdate = z
  .object({ benefits: z.array(Id).max(MAX_BENEFITS) })
  .meta({ id: 'ProductBenefitsUpdate' });

import { Id, Metadata, owned, resourceShape } from '@tributary/runtime/http/wire.ts';
import { intervals } from '@tributary/runtime/period.ts';
import { z } from 'zod';
import type { Price } from './price.ts';
import type { AttachedCustomField as AttachedField } from './product.ts';

/** Products inside other resources. The catalog owns products and describes their parts. */

export const RecurringInterval = z.enum(intervals).meta({ id: 'RecurringInterval' });
export const TrialInterval = z.enum(intervals).meta({ id: 'TrialInterval' });
const ProductVisibility = z.enum(['draft', 'private', 'public']).meta({ id: 'ProductVisibility' });

export const AnyPrice = z.union([owned<Price>('LegacyRecurringProductPrice'), owned<Price>('ProductPrice')]);
export const AttachedCustomField = owned<AttachedField>('AttachedCustomField');

export const productShape = {
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
};
/** What a buyer sees besides. */
export const offerShape = {
  prices: z.array(AnyPrice),
  benefits: z.array(owned<object>('BenefitPublic')),
  medias: z.array(owned<object>('ProductMediaFileRead')),
};

export const CheckoutProduct = z.object({ ...productShape, ...offerShape }).meta({ id: 'CheckoutProduct' });
export const OrderProduct = z.object({ metadata: Metadata, ...productShape }).meta({ id: 'OrderProduct' });

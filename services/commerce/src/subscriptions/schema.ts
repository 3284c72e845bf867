import {
  Currency,
  Id,
  Metadata,
  MetadataInput,
  owned,
  resourceShape,
  Timestamp,
} from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { ExternalId, embeddedCustomerShape } from '../customers/schema.ts';
import { Discount } from '../discounts/schema.ts';
import { CustomerOrganization } from '../organizations/schema.ts';
import type { ProductCopy } from '../products/product.ts';
import { AnyPrice, offerShape, productShape, RecurringInterval } from '../products/schema.ts';
import type { MeterCopy } from './present.ts';
import { cancellationReasons, subscriptionStatuses } from './subscription.ts';

const MAX_COMMENT = 5_000;

export const SubscriptionStatusShape = z
  .enum(subscriptionStatuses as [string, ...string[]])
  .meta({ id: 'SubscriptionStatus' });
export const CustomerCancellationReason = z
  .enum(cancellationReasons)
  .meta({ id: 'CustomerCancellationReason' });

/** What every view of a subscription shows. */
export const subscriptionShape = {
  ...resourceShape,
  amount: z.int(),
  currency: Currency,
  recurring_interval: RecurringInterval,
  recurring_interval_count: z.int(),
  status: SubscriptionStatusShape,
  current_period_start: Timestamp,
  current_period_end: Timestamp,
  current_meter_period_start: Timestamp.nullable(),
  current_meter_period_end: Timestamp.nullable(),
  trial_start: Timestamp.nullable(),
  trial_end: Timestamp.nullable(),
  cancel_at_period_end: z.boolean(),
  canceled_at: Timestamp.nullable(),
  started_at: Timestamp.nullable(),
  ends_at: Timestamp.nullable(),
  ended_at: Timestamp.nullable(),
  past_due_at: Timestamp.nullish(),
  pause_at_period_end: z.boolean(),
  paused_at: Timestamp.nullable(),
  resumes_at: Timestamp.nullable(),
  customer_id: Id,
  product_id: Id,
  discount_id: Id.nullable(),
  checkout_id: Id.nullable(),
  seats: z.int().nullish(),
  customer_cancellation_reason: CustomerCancellationReason.nullable(),
  customer_cancellation_comment: z.string().nullable(),
};

export const OrderSubscription = z
  .object({ metadata: Metadata, ...subscriptionShape })
  .meta({ id: 'OrderSubscription' });
export const CustomerOrderSubscription = z
  .object(subscriptionShape)
  .meta({ id: 'CustomerOrderSubscription' });

const CustomFieldData = z.record(
  z.string(),
  z.union([z.string(), z.int(), z.boolean(), Timestamp]).nullable(),
);

const PendingSubscriptionUpdate = z
  .object({
    ...resourceShape,
    applies_at: Timestamp,
    product_id: Id.nullable(),
    seats: z.int().nullable(),
  })
  .meta({ id: 'PendingSubscriptionUpdate' });

const meterShape = {
  ...resourceShape,
  consumed_units: z.number(),
  credited_units: z.int(),
  amount: z.int(),
  meter_id: Id,
};
const SubscriptionMeter = z
  .object({ ...meterShape, meter: owned<MeterCopy>('Meter') })
  .meta({ id: 'SubscriptionMeter' });

const SubscriptionCustomer = z.object(embeddedCustomerShape).meta({ id: 'SubscriptionCustomer' });

export const SubscriptionShape = z
  .object({
    ...subscriptionShape,
    metadata: Metadata,
    custom_field_data: CustomFieldData.optional(),
    customer: SubscriptionCustomer,
    product: owned<ProductCopy>('Product'),
    discount: Discount.nullable(),
    prices: z.array(AnyPrice),
    meters: z.array(SubscriptionMeter),
    pending_update: PendingSubscriptionUpdate.nullable(),
  })
  .meta({ id: 'Subscription' });
export type SubscriptionWire = z.input<typeof SubscriptionShape>;

const CustomerSubscriptionMeter = z
  .object({
    ...meterShape,
    meter: z.object({ ...resourceShape, name: z.string() }).meta({ id: 'CustomerSubscriptionMeterMeter' }),
  })
  .meta({ id: 'CustomerSubscriptionMeter' });

const CustomerSubscriptionProduct = z
  .object({ ...productShape, ...offerShape, organization: CustomerOrganization })
  .meta({ id: 'CustomerSubscriptionProduct' });

/** A subscription as its customer sees it in the portal. */
export const CustomerSubscription = z
  .object({
    ...subscriptionShape,
    product: CustomerSubscriptionProduct,
    prices: z.array(AnyPrice),
    meters: z.array(CustomerSubscriptionMeter),
    pending_update: PendingSubscriptionUpdate.nullable(),
  })
  .meta({ id: 'CustomerSubscription' });
export type CustomerSubscriptionWire = z.input<typeof CustomerSubscription>;

const createShape = { metadata: MetadataInput.optional(), product_id: Id };
export const SubscriptionCreate = z.union([
  z.object({ ...createShape, customer_id: Id }).meta({ id: 'SubscriptionCreateCustomer' }),
  z
    .object({ ...createShape, external_customer_id: ExternalId })
    .meta({ id: 'SubscriptionCreateExternalCustomer' }),
]);

const farewell = {
  customer_cancellation_reason: CustomerCancellationReason.nullish(),
  customer_cancellation_comment: z.string().max(MAX_COMMENT).nullish(),
};
const SubscriptionUpdateBase = z
  .strictObject({ metadata: MetadataInput.optional() })
  .meta({ id: 'SubscriptionUpdateBase' });
const SubscriptionCancel = z
  .strictObject({ ...farewell, cancel_at_period_end: z.boolean() })
  .meta({ id: 'SubscriptionCancel' });
const SubscriptionRevoke = z
  .strictObject({ ...farewell, revoke: z.literal(true) })
  .meta({ id: 'SubscriptionRevoke' });

/** One kind of change at a time: keys of two kinds cannot be mixed (domain rules 3.5). */
export const SubscriptionUpdate = z
  .union([SubscriptionUpdateBase, SubscriptionCancel, SubscriptionRevoke])
  .meta({ id: 'SubscriptionUpdate' });
export type SubscriptionUpdate = z.output<typeof SubscriptionUpdate>;

const CustomerSubscriptionCancel = z
  .strictObject({
    cancel_at_period_end: z.boolean().nullish(),
    cancellation_reason: CustomerCancellationReason.nullish(),
    cancellation_comment: z.string().max(MAX_COMMENT).nullish(),
  })
  .meta({ id: 'CustomerSubscriptionCancel' });
export const CustomerSubscriptionUpdate = z
  .union([CustomerSubscriptionCancel])
  .meta({ id: 'CustomerSubscriptionUpdate' });

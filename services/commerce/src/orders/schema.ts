import { Currency, Id, Metadata, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Address } from '../addresses/schema.ts';
import { embeddedCustomerShape } from '../customers/schema.ts';
import { Discount } from '../discounts/schema.ts';
import { CustomerOrganization } from '../organizations/schema.ts';
import { OrderProduct, offerShape, productShape } from '../products/schema.ts';
import { CustomerOrderSubscription, OrderSubscription } from '../subscriptions/schema.ts';
import { billingReasons, orderStatuses } from './order.ts';

export const OrderStatusShape = z.enum(orderStatuses as [string, ...string[]]).meta({ id: 'OrderStatus' });
const OrderBillingReason = z.enum(billingReasons).meta({ id: 'OrderBillingReason' });
export const ProductBillingType = z.enum(['one_time', 'recurring']).meta({ id: 'ProductBillingType' });

export const CustomFieldData = z.record(
  z.string(),
  z.union([z.string(), z.int(), z.boolean(), Timestamp]).nullable(),
);

const OrderItemSchema = z
  .object({
    ...resourceShape,
    label: z.string(),
    amount: z.int(),
    tax_amount: z.int(),
    proration: z.boolean(),
    product_price_id: Id.nullable(),
  })
  .meta({ id: 'OrderItemSchema' });

const head = {
  ...resourceShape,
  status: OrderStatusShape,
  paid: z.boolean(),
  subtotal_amount: z.int(),
  discount_amount: z.int(),
  net_amount: z.int(),
  tax_amount: z.int(),
  total_amount: z.int(),
  applied_balance_amount: z.int(),
  due_amount: z.int(),
  refunded_amount: z.int(),
  refunded_tax_amount: z.int(),
  currency: Currency,
  billing_reason: OrderBillingReason,
  billing_name: z.string().nullable(),
  billing_address: Address.nullable(),
  invoice_number: z.string().nullable(),
  is_invoice_generated: z.boolean(),
  receipt_number: z.string().nullable(),
  seats: z.int().nullish(),
  customer_id: Id,
  product_id: Id.nullable(),
  discount_id: Id.nullable(),
  subscription_id: Id.nullable(),
  checkout_id: Id.nullable(),
  next_payment_attempt_at: Timestamp.nullish(),
};
const tail = {
  items: z.array(OrderItemSchema),
  description: z.string(),
  refundable_amount: z.int(),
  refundable_tax_amount: z.int(),
};

export const OrderShape = z
  .object({
    ...head,
    metadata: Metadata,
    custom_field_data: CustomFieldData.optional(),
    platform_fee_amount: z.int(),
    platform_fee_currency: z.string().nullable(),
    customer: z.object(embeddedCustomerShape).meta({ id: 'OrderCustomer' }),
    product: OrderProduct.nullable(),
    discount: Discount.nullable(),
    subscription: OrderSubscription.nullable(),
    ...tail,
  })
  .meta({ id: 'Order' });
export type OrderWire = z.input<typeof OrderShape>;

const CustomerOrderProduct = z
  .object({ ...productShape, ...offerShape, organization: CustomerOrganization })
  .meta({ id: 'CustomerOrderProduct' });

export const CustomerOrder = z
  .object({
    ...head,
    product: CustomerOrderProduct.nullable(),
    subscription: CustomerOrderSubscription.nullable(),
    ...tail,
  })
  .meta({ id: 'CustomerOrder' });
export type CustomerOrderWire = z.input<typeof CustomerOrder>;

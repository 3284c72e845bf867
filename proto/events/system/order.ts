import { z } from 'zod';
import { Currency, MinorUnits } from '../fields.ts';

const voidShape = { order_id: z.string(), amount: MinorUnits, currency: Currency };

/** Money facts of an order, as its customer sees them. */
export const orderEvents = {
  'order.paid': z
    .object({
      order_id: z.string(),
      product_id: z.string().optional(),
      billing_type: z.string().optional().meta({ description: '`one_time` or `recurring`' }),
      amount: MinorUnits.meta({ description: "The order's total in the currency's minor unit" }),
      currency: Currency.optional(),
      net_amount: MinorUnits.optional(),
      tax_amount: MinorUnits.optional(),
      applied_balance_amount: MinorUnits.optional(),
      discount_amount: MinorUnits.optional(),
      discount_id: z.string().optional(),
      platform_fee: MinorUnits.optional(),
      subscription_id: z.string().optional(),
      recurring_interval: z.string().optional(),
      recurring_interval_count: z.int().optional(),
    })
    .meta({ id: 'OrderPaidMetadata' }),
  'order.refunded': z
    .object({ order_id: z.string(), refunded_amount: MinorUnits, currency: Currency })
    .meta({ id: 'OrderRefundedMetadata' }),
  'order.voided': z.object(voidShape).meta({ id: 'OrderVoidedMetadata' }),
  'order.unvoided': z.object(voidShape).meta({ id: 'OrderUnvoidedMetadata' }),
};

export const orderSubject = ['order_id'] as const;

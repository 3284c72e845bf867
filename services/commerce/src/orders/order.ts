import { newId } from '@tributary/proto/id.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import { machine, type StatusOf } from '@tributary/runtime/machine.ts';
import type { Address } from '../addresses/address.ts';
import { itemTaxes, type OrderAmounts } from './amounts.ts';

/** The life of an order (domain rules 2.1). A refund leaves it where it is, or takes it back when reversed. */
export const orderMachine = machine('order', {
  draft: { finalize: 'pending' },
  pending: { pay: 'paid', void: 'void', withdraw: 'draft' },
  paid: { refundPartially: 'partially_refunded', refundFully: 'refunded' },
  partially_refunded: {
    refundPartially: 'partially_refunded',
    refundFully: 'refunded',
    reverseRefundPartially: 'partially_refunded',
    reverseRefundFully: 'paid',
  },
  refunded: { reverseRefundPartially: 'partially_refunded', reverseRefundFully: 'paid' },
  void: { unvoid: 'pending' },
});
export type OrderStatus = StatusOf<typeof orderMachine>;
export const orderStatuses = orderMachine.statuses;

export const billingReasons = [
  'purchase',
  'subscription_create',
  'subscription_cycle',
  'subscription_update',
  'subscription_meter_cycle',
] as const;
export type BillingReason = (typeof billingReasons)[number];

export interface OrderItem extends Recorded {
  order_id: string;
  /** Place on the invoice, from 0. */
  position: number;
  label: string;
  amount: number;
  tax_amount: number;
  proration: boolean;
  product_price_id: string | null;
}

/** What a customer bought and owes or has paid for. */
export interface Order extends Recorded, OrderAmounts {
  organization_id: string;
  customer_id: string;
  status: OrderStatus;
  refunded_amount: number;
  refunded_tax_amount: number;
  currency: string;
  billing_reason: BillingReason;
  billing_name: string | null;
  billing_address: Address | null;
  invoice_number: string | null;
  is_invoice_generated: boolean;
  receipt_number: string | null;
  seats: number | null;
  product_id: string | null;
  discount_id: string | null;
  subscription_id: string | null;
  checkout_id: string | null;
  next_payment_attempt_at: Date | null;
  metadata: Metadata;
  custom_field_data: Record<string, unknown>;
  platform_fee_amount: number;
  platform_fee_currency: string | null;
  description: string;
}

/** An order with its items. */
export interface FullOrder {
  order: Order;
  items: OrderItem[];
}

export interface NewOrderItem {
  label: string;
  amount: number;
  proration?: boolean;
  product_price_id: string | null;
}

export type NewOrder = Pick<
  Order,
  | 'organization_id'
  | 'customer_id'
  | 'currency'
  | 'billing_reason'
  | 'billing_name'
  | 'billing_address'
  | 'seats'
  | 'product_id'
  | 'discount_id'
  | 'subscription_id'
  | 'checkout_id'
  | 'metadata'
  | 'custom_field_data'
  | 'description'
> & { amounts: OrderAmounts; items: readonly NewOrderItem[]; invoice_number: string };

/** A pending order: it waits for its payment, be it of nothing. */
export function newOrder({ amounts, items, ...facts }: NewOrder, now: Date): FullOrder {
  const id = newId();
  const taxes = itemTaxes(
    items.map((item) => item.amount),
    amounts.tax_amount,
  );
  const order: Order = {
    id,
    created_at: now,
    modified_at: null,
    status: 'pending',
    ...facts,
    ...amounts,
    refunded_amount: 0,
    refunded_tax_amount: 0,
    is_invoice_generated: false,
    receipt_number: null,
    next_payment_attempt_at: null,
    platform_fee_amount: 0,
    platform_fee_currency: null,
  };
  const rows = items.map((item, position) => ({
    id: newId(),
    created_at: now,
    modified_at: null,
    order_id: id,
    position,
    label: item.label,
    amount: item.amount,
    tax_amount: taxes[position]!,
    proration: item.proration ?? false,
    product_price_id: item.product_price_id,
  }));
  return { order, items: rows };
}

/** Nothing is due any more. @param receiptNumber given where money was taken */
export const payOrder = (order: Order, receiptNumber: string | null, now: Date): Order => ({
  ...order,
  modified_at: now,
  status: orderMachine.next(order.status, 'pay'),
  next_payment_attempt_at: null,
  receipt_number: receiptNumber ?? order.receipt_number,
  platform_fee_currency: order.currency,
});

/** The order is given up. */
export const voidOrder = (order: Order, now: Date): Order => ({
  ...order,
  modified_at: now,
  status: orderMachine.next(order.status, 'void'),
  next_payment_attempt_at: null,
});

export const isPaid = ({ status }: Order): boolean =>
  status === 'paid' || status === 'partially_refunded' || status === 'refunded';

const NUMBER_DIGITS = 4;

/** `ACME-QWERTYUI-0001`: the invoice numbers of one customer have no gaps. */
export const invoiceNumber = (slug: string, shortCode: string, count: number): string =>
  `${slug.toUpperCase()}-${shortCode}-${String(count).padStart(NUMBER_DIGITS, '0')}`;

export const receiptNumber = (shortCode: string, count: number): string =>
  `RCPT-${shortCode}-${String(count).padStart(NUMBER_DIGITS, '0')}`;

/** A payment came in after all for an order that was given up: it waits to be settled again. */
export const unvoidOrder = (order: Order, now: Date): Order => ({
  ...order,
  modified_at: now,
  status: orderMachine.next(order.status, 'unvoid'),
});

/** Says when its payment is tried again; null for not at all. */
export const planPaymentAttempt = (order: Order, next_payment_attempt_at: Date | null, now: Date): Order => ({
  ...order,
  modified_at: now,
  next_payment_attempt_at,
});

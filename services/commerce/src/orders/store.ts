import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import {
  bigint,
  boolean,
  integer,
  json,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { pageOf, whereContains, whereIn, whereMetadata } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import type { MetadataFilter } from '@tributary/runtime/http/wire.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { EntitySchema, type SelectQueryBuilder } from 'typeorm';
import type { FullOrder, Order, OrderItem } from './order.ts';

export const orders = new EntitySchema<Order>({
  name: 'orders',
  columns: {
    ...recorded,
    organization_id: uuid,
    customer_id: uuid,
    status: text,
    subtotal_amount: bigint,
    discount_amount: bigint,
    net_amount: bigint,
    tax_amount: bigint,
    total_amount: bigint,
    applied_balance_amount: bigint,
    due_amount: bigint,
    refunded_amount: bigint,
    refunded_tax_amount: bigint,
    currency: text,
    billing_reason: text,
    billing_name: nullable(text),
    billing_address: nullable(json),
    invoice_number: nullable(text),
    is_invoice_generated: boolean,
    receipt_number: nullable(text),
    seats: nullable(integer),
    product_id: nullable(uuid),
    discount_id: nullable(uuid),
    subscription_id: nullable(uuid),
    checkout_id: nullable(uuid),
    next_payment_attempt_at: nullable(timestamp),
    metadata: json,
    custom_field_data: json,
    platform_fee_amount: bigint,
    platform_fee_currency: nullable(text),
    description: text,
  },
});

export const orderItems = new EntitySchema<OrderItem>({
  name: 'order_items',
  columns: {
    ...recorded,
    order_id: uuid,
    position: integer,
    label: text,
    amount: bigint,
    tax_amount: bigint,
    proration: boolean,
    product_price_id: nullable(uuid),
  },
});

export const orderSortKeys = [
  'created_at',
  'status',
  'invoice_number',
  'amount',
  'net_amount',
  'customer',
  'product',
  'discount',
  'subscription',
] as const;
export type OrderSortKey = (typeof orderSortKeys)[number];

export interface OrderQuery extends Paging {
  sorting: SortCriterion<OrderSortKey>[];
  product_id?: string[];
  product_billing_type?: ('one_time' | 'recurring')[];
  discount_id?: string[];
  customer_id?: string[];
  external_customer_id?: string[];
  checkout_id?: string[];
  subscription_id?: string[];
  status?: string[];
  /** Later than this, not at it. */
  created_after?: Date;
  created_before?: Date;
  metadata?: MetadataFilter;
  /** Part of what was bought, or of the invoice number. */
  query?: string;
}

const sortColumns: Record<OrderSortKey, string> = {
  created_at: 'orders.created_at',
  status: 'orders.status',
  invoice_number: 'orders.invoice_number',
  amount: 'orders.net_amount',
  net_amount: 'orders.net_amount',
  customer: 'customer.email',
  product: `product.value ->> 'name'`,
  discount: 'orders.discount_id',
  subscription: 'orders.subscription_id',
};

export function listOrders(reader: Reader, scope: OrderScope, query: OrderQuery): Promise<Page<Order>> {
  const builder = ofCustomer(reader, scope);
  whereIn(builder, 'orders.product_id', query.product_id);
  whereIn(builder, 'orders.discount_id', query.discount_id);
  whereIn(builder, 'orders.customer_id', query.customer_id);
  whereIn(builder, 'orders.checkout_id', query.checkout_id);
  whereIn(builder, 'orders.subscription_id', query.subscription_id);
  whereIn(builder, 'orders.status', query.status);
  whereMetadata(builder, 'orders.metadata', query.metadata);
  whereContains(builder, ['orders.description', 'orders.invoice_number'], query.query);
  const { created_after, created_before } = query;
  if (created_after) builder.andWhere('orders.created_at > :created_after', { created_after });
  if (created_before) builder.andWhere('orders.created_at < :created_before', { created_before });
  if (query.external_customer_id) {
    builder.andWhere(
      `orders.customer_id in (select named.id from customers named
         where named.deleted_at is null and named.external_id = any(:externalIds)
           and named.organization_id = orders.organization_id)`,
      { externalIds: query.external_customer_id },
    );
  }
  if (query.product_billing_type?.length === 1) {
    // An order of a recurring product is its subscription's, and no other is.
    const isRecurring = query.product_billing_type[0] === 'recurring';
    builder.andWhere(`orders.subscription_id is ${isRecurring ? 'not null' : 'null'}`);
  }
  return pageOf(builder, query, query.sorting, sortColumns, {
    organizations: scope.organizationIds,
    join: (ordered) => joinForOrder(ordered, query),
  });
}

/**
 * Joins a sort key's table only where the sorting asks for it. Every order has a customer and a product of its own
 * organization: said so that an index can lead through them in order.
 */
function joinForOrder(ordered: SelectQueryBuilder<Order>, query: OrderQuery): void {
  const sortsBy = (key: OrderSortKey) => query.sorting.some(({ by }) => by === key);
  if (sortsBy('customer')) {
    ordered.innerJoin(
      'customers',
      'customer',
      'customer.id = orders.customer_id and customer.organization_id = orders.organization_id',
    );
  }
  if (sortsBy('product')) {
    ordered.innerJoin(
      'products_replica',
      'product',
      'product.id = orders.product_id and product.organization_id = orders.organization_id',
    );
  }
}

export interface OrderScope {
  organizationIds?: readonly string[];
  /** Only this customer's orders. */
  customerId?: string;
}

function ofCustomer(reader: Reader, { customerId }: OrderScope): SelectQueryBuilder<Order> {
  const builder = reader.getRepository(orders).createQueryBuilder('orders');
  if (customerId) builder.where('orders.customer_id = :customerId', { customerId });
  return builder;
}

/** The order, or a 404 where it lies outside the scope. */
export async function getOrder(reader: Reader, scope: OrderScope, id: string): Promise<Order> {
  const builder = ofCustomer(reader, scope).andWhere('orders.id = :id', { id });
  whereIn(builder, 'orders.organization_id', scope.organizationIds);
  const order = await builder.getOne();
  if (!order) throw notFound('Order not found');
  return order;
}

/** The items of each order, in their order. */
/** What orders are for, by id. */
export const ordersAsked = (
  reader: Reader,
  ids: readonly string[],
): Promise<Pick<Order, 'id' | 'created_at' | 'billing_reason'>[]> =>
  reader
    .getRepository(orders)
    .createQueryBuilder('orders')
    .select(['orders.id', 'orders.created_at', 'orders.billing_reason'])
    .where('orders.id = any(:ids)', { ids })
    .getMany();

export async function itemsOf(
  reader: Reader,
  orderIds: readonly string[],
): Promise<Map<string, OrderItem[]>> {
  if (orderIds.length === 0) return new Map();
  const rows = await reader
    .getRepository(orderItems)
    .createQueryBuilder('item')
    .where('item.order_id = any(:orderIds)', { orderIds })
    .orderBy('item.order_id')
    .addOrderBy('item.position')
    .getMany();
  return Map.groupBy(rows, (row) => row.order_id);
}

export async function insertOrder(
  tx: Tx,
  { order, items }: FullOrder,
  messages: OutgoingMessage[],
): Promise<void> {
  await tx.getRepository(orders).insert(order as never);
  if (items.length > 0) await tx.getRepository(orderItems).insert(items);
  await emit(tx, messages);
}

/** Writes an order whose row is locked, or which this transaction made. */
export async function saveOrder(tx: Tx, order: Order, messages: OutgoingMessage[]): Promise<void> {
  const { id, ...columns } = order;
  await tx.getRepository(orders).update(id, columns as never);
  await emit(tx, messages);
}

/** The next number of a customer's invoices; the row lock this takes keeps them without gaps. */
export async function nextInvoiceCount(tx: Tx, customerId: string): Promise<number> {
  return nextCount(tx, customerId, 'invoice_count');
}

export async function nextReceiptCount(tx: Tx, customerId: string): Promise<number> {
  return nextCount(tx, customerId, 'receipt_count');
}

async function nextCount(
  tx: Tx,
  customerId: string,
  column: 'invoice_count' | 'receipt_count',
): Promise<number> {
  const [rows]: [Record<string, number>[], number] = await tx.query(
    `update customers set ${column} = ${column} + 1 where id = $1 returning ${column}`,
    [customerId],
  );
  return rows[0]![column]!;
}

/** A subscription's orders that wait for payment, with their rows locked. */
export const lockPendingOrders = (tx: Tx, subscriptionId: string): Promise<Order[]> =>
  tx
    .getRepository(orders)
    .createQueryBuilder('orders')
    .where(`orders.subscription_id = :subscriptionId and orders.status = 'pending'`, { subscriptionId })
    .orderBy('orders.id')
    .setLock('pessimistic_write')
    .getMany();

/** Takes the person out of a customer's orders; country and state stay, which the tax was computed from. */
export async function forgetOrdersOf(tx: Pick<Tx, 'query'>, customerId: string): Promise<void> {
  await tx.query(
    `update orders set
       billing_name = encode(sha256(convert_to(billing_name, 'utf8')), 'hex'),
       billing_address = case when billing_address is null then null else billing_address
         || '{"line1": null, "line2": null, "postal_code": null, "city": null}'::jsonb end,
       custom_field_data = '{}'
     where customer_id = $1`,
    [customerId],
  );
}

/** By how much a customer's unpaid orders will move the balance: credit they use up, debt they pay off. */
export async function appliedByPending(
  tx: Pick<Tx, 'query'>,
  customerId: string,
  currency: string,
): Promise<number> {
  const [row]: [{ applied: number }] = await tx.query(
    `select coalesce(sum(applied_balance_amount), 0)::bigint as applied from orders
     where customer_id = $1 and currency = $2 and status = 'pending'`,
    [customerId, currency],
  );
  return row.applied;
}

/** An order with its row locked. */
export const lockOrder = (tx: Tx, id: string): Promise<Order> =>
  tx
    .getRepository(orders)
    .createQueryBuilder('orders')
    .where('orders.id = :id', { id })
    .setLock('pessimistic_write')
    .getOneOrFail();

import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf } from '@tributary/runtime/reconciliation/parts.ts';

const PAID = `('paid', 'partially_refunded', 'refunded')`;

/** What an order's own fields say of each other (domain rules 2.2), and of its items, its payment and its checkout. */
export const orderParts: readonly Part[] = [
  noneOf(
    'orders: totals other than their items and each other say',
    `select sold.id from span, orders sold
     left join lateral (
       select coalesce(sum(amount), 0) as amount, coalesce(sum(tax_amount), 0) as tax
       from order_items where order_id = sold.id
     ) item on true
     where sold.created_at >= span.since and (
       sold.subtotal_amount <> item.amount
       or sold.tax_amount <> item.tax
       or sold.total_amount <> sold.net_amount + sold.tax_amount
       or sold.net_amount not in (
         sold.subtotal_amount - sold.discount_amount, sold.subtotal_amount - sold.discount_amount - sold.tax_amount)
       or sold.due_amount <> greatest(0, sold.total_amount + sold.applied_balance_amount))`,
  ),
  /** A receipt is numbered exactly where money was taken. */
  noneOf(
    'orders: not paid exactly once',
    `select sold.id from span, orders sold
     left join lateral (
       select count(*) as times, coalesce(sum(amount), 0) as amount
       from payments payment
       where payment.order_id = sold.id and payment.status = 'succeeded' and payment.currency = sold.currency
     ) paid on true
     where sold.created_at >= span.since and case
       when sold.status in ${PAID} and sold.receipt_number is not null
         then paid.times <> 1 or paid.amount <> sold.due_amount
       else paid.times <> 0 end`,
  ),
  noneOf(
    'payments: of an order in another currency',
    `select payment.id from span, payments payment join orders sold on sold.id = payment.order_id
     where payment.currency <> sold.currency and payment.created_at >= span.since`,
  ),
  noneOf(
    'checkouts: succeeded without an order',
    `select checkout.id from span, checkouts checkout
     where checkout.status = 'succeeded' and checkout.created_at >= span.since
       and not exists (select from orders where checkout_id = checkout.id)`,
  ),
  noneOf(
    'orders: of a checkout that has not succeeded',
    `select sold.id from span, orders sold join checkouts checkout on checkout.id = sold.checkout_id
     where checkout.status <> 'succeeded' and sold.created_at >= span.since`,
  ),
  /** The job that takes up what a dead process left behind looks every ten seconds. */
  noneOf(
    'checkouts: confirmed and forgotten',
    `select checkout.id from span, checkouts checkout
     where checkout.status = 'confirmed' and checkout.resume_at < span.before - interval '10 minutes'`,
  ),
  noneOf(
    'customers: invoice or receipt numbers with gaps',
    `select customer.id from span, customers customer
     left join lateral (
       select count(invoice_number) as invoices, count(receipt_number) as receipts
       from orders where customer_id = customer.id
     ) numbered on true
     where (customer.invoice_count, customer.receipt_count) <> (numbered.invoices, numbered.receipts)
       and (span.since = '-infinity' or customer.id in (select customer_id from orders where created_at >= span.since))`,
  ),
];

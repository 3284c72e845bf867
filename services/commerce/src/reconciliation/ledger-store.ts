import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf, sameSums } from '@tributary/runtime/reconciliation/parts.ts';

const PAID = `('paid', 'partially_refunded', 'refunded')`;

/** Customers whose balance may have moved in the span: it runs over all of their entries, whenever those were made. */
const MOVED = `
  select customer_id from ledger_transactions where created_at >= span.since
  union all select customer_id from customer_balances where span.since = '-infinity'`;

/** Money neither appears nor vanishes: what one book says of it, another one says too. */
export const ledgerParts: readonly Part[] = [
  /** Double entry, in all and in each transaction. */
  sameSums(
    'ledger: entries sum to zero',
    `select entry.currency as name, '0' as expected, sum(entry.amount)::text as found
     from span, ledger_entries entry join ledger_transactions booked on booked.id = entry.transaction_id
     where booked.created_at >= span.since group by entry.currency`,
  ),
  noneOf(
    'ledger: transactions out of balance',
    `select entry.transaction_id as id
     from span, ledger_entries entry join ledger_transactions booked on booked.id = entry.transaction_id
     where booked.created_at >= span.since
     group by entry.transaction_id, entry.currency having sum(entry.amount) <> 0`,
  ),
  noneOf(
    'ledger: transactions without entries',
    `select booked.id from span, ledger_transactions booked
     where booked.created_at >= span.since
       and not exists (select from ledger_entries where transaction_id = booked.id)`,
  ),
  /** A balance is a running sum; the entries are what it runs over. */
  noneOf(
    'customer balances other than the ledger says',
    `select coalesce(kept.customer_id, booked.customer_id) as id
     from (
       select kept.customer_id, kept.currency, kept.amount
       from span, customer_balances kept where kept.customer_id in (${MOVED})
     ) kept
     full join (
       select booked.customer_id, entry.currency, -sum(entry.amount) as amount
       from span, ledger_entries entry join ledger_transactions booked on booked.id = entry.transaction_id
       where entry.account = 'customer_balance' and booked.customer_id in (${MOVED})
       group by 1, 2
     ) booked on booked.customer_id = kept.customer_id and booked.currency = kept.currency
     where coalesce(kept.amount, 0) <> coalesce(booked.amount, 0)`,
  ),
  /** What was sold is what was earned, taxed and kept; orders of which something was given back have more entries. */
  sameSums(
    'orders: paid totals as booked',
    `select sold.currency as name, sum(sold.total_amount)::text as expected,
       (-coalesce(sum(booked.amount), 0))::text as found
     from span, orders sold
     left join lateral (
       select sum(entry.amount) as amount
       from ledger_transactions booked join ledger_entries entry on entry.transaction_id = booked.id
       where booked.order_id = sold.id and entry.account in ('merchant', 'tax', 'platform')
         and entry.currency = sold.currency
     ) booked on true
     where sold.status in ${PAID} and sold.refunded_amount = 0 and sold.refunded_tax_amount = 0
       and sold.created_at >= span.since
     group by sold.currency`,
  ),
  noneOf(
    'orders: booked without being paid',
    `select sold.id from span, orders sold
     where sold.status not in ${PAID} and sold.created_at >= span.since
       and exists (select from ledger_transactions where order_id = sold.id)`,
  ),
  /** What the processor took is what payments of orders say. */
  sameSums(
    'payments: taken as booked',
    `select coalesce(paid.currency, booked.currency) as name, coalesce(paid.amount, 0)::text as expected,
       coalesce(booked.amount, 0)::text as found
     from (
       select payment.currency, sum(payment.amount) as amount
       from span, payments payment join orders sold on sold.id = payment.order_id
       where payment.status = 'succeeded' and sold.refunded_amount = 0 and sold.refunded_tax_amount = 0
         and sold.created_at >= span.since
       group by 1
     ) paid
     full join (
       select entry.currency, sum(entry.amount) as amount
       from span, orders sold
       join ledger_transactions booked on booked.order_id = sold.id
       join ledger_entries entry on entry.transaction_id = booked.id
       where entry.account = 'processor' and sold.refunded_amount = 0 and sold.refunded_tax_amount = 0
         and sold.created_at >= span.since
       group by 1
     ) booked on booked.currency = paid.currency`,
  ),
];

import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { newTransaction, settlementEntries } from '../ledger/ledger.ts';
import { insertTransaction, lockBalance, moveBalance } from '../ledger/store.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import type { Payment } from '../payments/payment.ts';
import { insertPayment } from '../payments/store.ts';
import { collectionOf } from './amounts.ts';
import { orderCreated, orderPaid } from './messages.ts';
import { invoiceNumber, type NewOrder, newOrder, payOrder, receiptNumber } from './order.ts';
import type { OrderView } from './present.ts';
import { insertOrder, nextInvoiceCount, nextReceiptCount, saveOrder } from './store.ts';

export type OrderParties = Pick<OrderView, 'customer' | 'product' | 'subscription'> & {
  organization: OrganizationCopy;
};

/** Records a pending order under the customer's next invoice number. */
export async function placeOrder(
  tx: Tx,
  facts: Omit<NewOrder, 'invoice_number' | 'organization_id' | 'customer_id'>,
  { organization, ...parties }: OrderParties,
  now: Date,
): Promise<OrderView> {
  const { customer } = parties;
  const invoice_number = invoiceNumber(
    organization.slug,
    customer.short_code,
    await nextInvoiceCount(tx, customer.id),
  );
  const full = newOrder(
    { ...facts, invoice_number, organization_id: organization.id, customer_id: customer.id },
    now,
  );
  const view: OrderView = { ...full, ...parties };
  await insertOrder(tx, full, orderCreated(view, now));
  return view;
}

/**
 * Settles a pending order whose amount the processor has taken, or that asks for none: payment, receipt, ledger,
 * balance and events in one transaction.
 */
export async function settleOrder(
  tx: Tx,
  view: OrderView,
  payment: Payment | null,
  now: Date,
): Promise<OrderView> {
  const { customer } = view;
  const { charged, balanceChange } = collectionOf(view.order, view.order.currency);
  if (payment) await insertPayment(tx, { ...payment, order_id: view.order.id });
  const receipt =
    charged > 0 ? receiptNumber(customer.short_code, await nextReceiptCount(tx, customer.id)) : null;
  const order = payOrder(view.order, receipt, now);
  const ledger = newTransaction(
    {
      organization_id: order.organization_id,
      customer_id: order.customer_id,
      order_id: order.id,
      payment_id: payment?.id ?? null,
      entries: settlementEntries({
        total: order.total_amount,
        tax: order.tax_amount,
        balanceChange,
        charged,
        fee: order.platform_fee_amount,
        currency: order.currency,
      }),
    },
    now,
  );
  await insertTransaction(tx, ledger);
  if (balanceChange !== 0) {
    await lockBalance(tx, customer, order.currency);
    await moveBalance(tx, customer.id, order.currency, balanceChange);
  }
  const paid: OrderView = { ...view, order };
  await saveOrder(tx, order, orderPaid(paid, ledger, now));
  return paid;
}

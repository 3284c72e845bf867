import { testMachine } from '@tributary/runtime/testing/machine-table.ts';
import { orderAmounts } from './amounts.ts';
import {
  invoiceNumber,
  isPaid,
  newOrder,
  orderMachine,
  payOrder,
  receiptNumber,
  voidOrder,
} from './order.ts';

testMachine(orderMachine, [
  'draft finalize -> pending',
  'pending pay -> paid',
  'pending void -> void',
  'pending withdraw -> draft',
  'paid refundPartially -> partially_refunded',
  'paid refundFully -> refunded',
  'partially_refunded refundPartially -> partially_refunded',
  'partially_refunded refundFully -> refunded',
  'partially_refunded reverseRefundPartially -> partially_refunded',
  'partially_refunded reverseRefundFully -> paid',
  'refunded reverseRefundPartially -> partially_refunded',
  'refunded reverseRefundFully -> paid',
  'void unvoid -> pending',
]);

const now = new Date('2026-01-15T12:00:00Z');
const facts = {
  organization_id: 'organization',
  customer_id: 'customer',
  currency: 'usd',
  billing_reason: 'purchase' as const,
  billing_name: null,
  billing_address: null,
  seats: null,
  product_id: null,
  discount_id: null,
  subscription_id: null,
  checkout_id: null,
  metadata: {},
  custom_field_data: {},
  description: 'Pro',
  invoice_number: 'ACME-ABCDEFGH-0001',
};

test('a new order waits for its payment and splits its tax over its items', () => {
  const items = [1_000, 500].map((amount) => ({ label: 'Pro', amount, product_price_id: null }));
  const amounts = orderAmounts({
    items: [1_000, 500],
    discount: 0,
    tax: 100,
    isTaxInclusive: false,
    balance: 0,
  });
  const { order, items: rows } = newOrder({ ...facts, amounts, items }, now);
  expect(order).toMatchObject({ status: 'pending', total_amount: 1_600, due_amount: 1_600 });
  expect(rows.map((row) => [row.position, row.tax_amount])).toEqual([
    [0, 67],
    [1, 33],
  ]);
  expect(isPaid(order)).toBe(false);
  expect(payOrder(order, 'RCPT-1', now)).toMatchObject({ status: 'paid', receipt_number: 'RCPT-1' });
  expect(voidOrder(order, now)).toMatchObject({ status: 'void', next_payment_attempt_at: null });
});

test.each([
  [1, 'ACME-ABCDEFGH-0001'],
  [12_345, 'ACME-ABCDEFGH-12345'],
])('invoice %d of a customer is %s', (count, number) => {
  expect(invoiceNumber('acme', 'ABCDEFGH', count)).toBe(number);
});

test('a receipt is numbered by its customer alone', () => {
  expect(receiptNumber('ABCDEFGH', 7)).toBe('RCPT-ABCDEFGH-0007');
});

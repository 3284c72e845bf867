import { type BooksUnderTest, booksUnderTest } from '@tributary/runtime/testing/books.ts';
import { reconciliation } from '../reconciliation.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed } from '../testing/copies.ts';

let commerce: CommerceUnderTest;
let books: BooksUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
  books = booksUnderTest(commerce.app.db, reconciliation, () => commerce.clock.now());
  const bought = await commerce.buy(commerce.product({ prices: [fixed(1_000)] }).id);
  await commerce.buy(commerce.product({ prices: [fixed(2_500)], recurring_interval: 'month' }).id);
  const owed = await commerce.checkout(commerce.product({ prices: [fixed(20)] }).id, {
    customer_id: bought.customer_id,
  });
  await commerce.confirm(owed.client_secret);
  const refused = await commerce.checkout(commerce.product().id);
  await commerce.confirm(refused.client_secret, { confirmation_token_id: 'tok_declined' });
  await commerce.emptyOutbox();
}, 60_000);
afterAll(() => commerce?.stop());

test('purchases, a debt and a refused card add up', async () => {
  expect(await books.broken()).toEqual([]);
});

const first = (table: string, condition = 'true') =>
  `(select id from ${table} where ${condition} order by id limit 1)`;

test.each([
  [
    'an entry is changed',
    'ledger_entries',
    `update ledger_entries set amount = amount - 1 where id = ${first('ledger_entries', "account = 'merchant'")}`,
    [
      'ledger: entries sum to zero, usd',
      'ledger: transactions out of balance',
      'orders: paid totals as booked, usd',
    ],
  ],
  [
    'the entries of a transaction are lost',
    'ledger_entries',
    `delete from ledger_entries where transaction_id = ${first('ledger_transactions', 'payment_id is not null')}`,
    [
      'ledger: transactions without entries',
      'orders: paid totals as booked, usd',
      'payments: taken as booked, usd',
    ],
  ],
  [
    'a balance moves by itself',
    'customer_balances',
    'update customer_balances set amount = amount + 1',
    ['customer balances other than the ledger says'],
  ],
  [
    'a payment is lost',
    'payments',
    `delete from payments where id = ${first('payments', "status = 'succeeded'")}`,
    ['payments: taken as booked, usd', 'orders: not paid exactly once'],
  ],
  [
    'a payment is taken twice',
    'payments',
    `insert into payments select * from jsonb_populate_recordset(null::payments, (
       select jsonb_agg(to_jsonb(paid) || jsonb_build_object('id', gen_random_uuid(), 'processor_id', 'twice'))
       from payments paid where id = ${first('payments', "status = 'succeeded'")}))`,
    ['payments: taken as booked, usd', 'orders: not paid exactly once'],
  ],
  [
    "an item's amount is changed",
    'order_items',
    `update order_items set amount = amount + 1 where id = ${first('order_items')}`,
    ['orders: totals other than their items and each other say'],
  ],
  [
    'an order forgets that it was paid',
    'orders',
    `update orders set status = 'pending' where id = ${first('orders', 'receipt_number is not null')}`,
    ['orders: booked without being paid', 'orders: not paid exactly once'],
  ],
  [
    'an order is lost',
    'orders',
    `delete from orders where id = ${first('orders')}`,
    ['checkouts: succeeded without an order', 'customers: invoice or receipt numbers with gaps'],
  ],
  [
    'a checkout forgets its order',
    'checkouts',
    `update checkouts set status = 'open' where id = ${first('checkouts', "status = 'succeeded'")}`,
    ['orders: of a checkout that has not succeeded'],
  ],
  [
    'nobody takes up what a dead process left',
    'checkouts',
    `update checkouts set status = 'confirmed', resume_at = '2000-01-01' where status = 'open'`,
    ['checkouts: confirmed and forgotten'],
  ],
  [
    'a renewal is missed',
    'subscriptions',
    `update subscriptions set current_period_end = '2000-01-01', cycle_not_before = null`,
    ['subscriptions: not renewed in time'],
  ],
])('says so when %s', async (_what, table, sql, names) => {
  expect(await books.brokenBy(table, sql)).toEqual(names);
});

test('all is as it was', async () => {
  expect(await books.broken()).toEqual([]);
});

import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed } from '../testing/copies.ts';
import { movementOn, newTransaction } from './ledger.ts';
import { balancesOf, insertTransaction } from './store.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const facts = () => ({
  organization_id: commerce.organization.id,
  customer_id: newId(),
  order_id: null,
  payment_id: null,
});

describe('the ledger', () => {
  test('refuses entries that do not sum to zero, in code', () => {
    const entries = [{ account: 'processor' as const, currency: 'usd', amount: 100 }];
    expect(() => newTransaction({ ...facts(), entries }, new Date(0))).toThrow(RangeError);
  });

  test('refuses them in the database too, for each currency by itself', async () => {
    const entries = [
      { account: 'processor' as const, currency: 'usd', amount: 100 },
      { account: 'merchant' as const, currency: 'eur', amount: -100 },
    ];
    const unbalanced = { ...newTransaction({ ...facts(), entries: [] }, new Date()), entries };
    await expect(inTransaction(commerce.app.db, (tx) => insertTransaction(tx, unbalanced))).rejects.toThrow(
      'does not balance',
    );
  });

  test('tells what an account moves', () => {
    const entries = [
      { account: 'processor' as const, currency: 'usd', amount: 100 },
      { account: 'merchant' as const, currency: 'usd', amount: -100 },
    ];
    const transaction = newTransaction({ ...facts(), entries }, new Date(0));
    expect(movementOn(transaction, 'merchant')).toBe(-100);
    expect(movementOn(transaction, 'tax')).toBe(0);
  });

  test('says of every customer what their balance says', async () => {
    const bought = await commerce.buy(commerce.product({ prices: [fixed(1_000)] }).id);
    const tooLittle = await commerce.checkout(commerce.product({ prices: [fixed(20)] }).id, {
      customer_id: bought.customer_id,
    });
    await commerce.confirm(tooLittle.client_secret);
    expect(await balancesOf(commerce.app.db, bought.customer_id)).toEqual(new Map([['usd', -20]]));
    const [{ owed }] = await commerce.app.db.query(
      `select -sum(entry.amount)::bigint as owed from ledger_entries entry
       join ledger_transactions booking on booking.id = entry.transaction_id
       where booking.customer_id = $1 and entry.account = 'customer_balance'`,
      [bought.customer_id],
    );
    expect(owed).toBe(-20);
    const [order] = (await commerce.ok('GET', `/v1/orders/?checkout_id=${tooLittle.id}`)).items;
    expect(order).toMatchObject({ status: 'paid', due_amount: 20, receipt_number: null });
  });
});

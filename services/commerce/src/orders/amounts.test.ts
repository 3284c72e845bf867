import { minimumCharge } from '@tributary/runtime/money.ts';
import fc from 'fast-check';
import { newTransaction, settlementEntries } from '../ledger/ledger.ts';
import { type AmountsInput, collectionOf, itemTaxes, orderAmounts, refundableAmount } from './amounts.ts';

const money = fc.integer({ min: -99_999_999, max: 99_999_999 });
const input: fc.Arbitrary<AmountsInput> = fc.record({
  items: fc.array(money, { maxLength: 20 }),
  discount: fc.nat({ max: 99_999_999 }),
  tax: fc.nat({ max: 9_999_999 }),
  isTaxInclusive: fc.boolean(),
  balance: money,
});
const currency = fc.constantFrom('usd', 'jpy', 'huf', 'bmd');

describe('the amounts of an order', () => {
  test('add up, whatever its items, discount, tax and balance', () => {
    fc.assert(
      fc.property(input, (given) => {
        const amounts = orderAmounts(given);
        const items = given.items.reduce((sum, amount) => sum + amount, 0);
        expect(amounts.subtotal_amount).toBe(items);
        expect(amounts.total_amount).toBe(items - given.discount + (given.isTaxInclusive ? 0 : given.tax));
        expect(amounts.net_amount + amounts.tax_amount).toBe(amounts.total_amount);
        expect(amounts.due_amount).toBeGreaterThanOrEqual(0);
        expect(Object.values(amounts).every(Number.isSafeInteger)).toBe(true);
        expect(Object.values(amounts).some((amount) => Object.is(amount, -0))).toBe(false);
      }),
    );
  });

  test('take credit up to the total, and add every debt', () => {
    fc.assert(
      fc.property(input, (given) => {
        const { total_amount, applied_balance_amount, due_amount } = orderAmounts(given);
        if (total_amount < 0) {
          expect(due_amount).toBe(0);
          expect(applied_balance_amount).toBe(
            given.balance < 0 ? Math.min(-total_amount, -given.balance) : 0,
          );
        } else if (given.balance >= 0) {
          expect(-applied_balance_amount + 0).toBe(Math.min(total_amount, given.balance));
          expect(due_amount).toBe(total_amount - Math.min(total_amount, given.balance));
        } else {
          expect(due_amount).toBe(total_amount - given.balance);
        }
      }),
    );
  });

  test('leave nothing behind: what is charged and what the balance gives is the total', () => {
    fc.assert(
      fc.property(input, currency, (given, code) => {
        const amounts = orderAmounts(given);
        const { charged, balanceChange } = collectionOf(amounts, code);
        expect(charged - balanceChange).toBe(amounts.total_amount);
        expect(charged === 0 || charged >= minimumCharge(code)).toBe(true);
        expect(charged === 0 || charged === amounts.due_amount).toBe(true);
      }),
    );
  });

  test('are settled by ledger entries that sum to zero', () => {
    fc.assert(
      fc.property(input, currency, fc.nat({ max: 100_000 }), (given, code, fee) => {
        const { total_amount: total, tax_amount: tax, ...amounts } = orderAmounts(given);
        const collection = collectionOf({ total_amount: total, tax_amount: tax, ...amounts }, code);
        const entries = settlementEntries({ total, tax, fee, ...collection, currency: code });
        expect(entries.reduce((sum, { amount }) => sum + amount, 0) + 0).toBe(0);
        expect(entries.every(({ amount }) => amount !== 0)).toBe(true);
        const facts = { organization_id: 'o', customer_id: 'c', order_id: null, payment_id: null, entries };
        expect(() => newTransaction(facts, new Date(0))).not.toThrow();
      }),
    );
  });

  test('of the example: 3.00 of credit on an order of 10.00 leave 7.00 due', () => {
    const amounts = orderAmounts({
      items: [1_000],
      discount: 0,
      tax: 0,
      isTaxInclusive: false,
      balance: 300,
    });
    expect(amounts).toMatchObject({ applied_balance_amount: -300, due_amount: 700 });
    expect(collectionOf(amounts, 'usd')).toEqual({ charged: 700, balanceChange: -300 });
  });

  test('below what can be charged become debt for a later order', () => {
    const amounts = orderAmounts({ items: [30], discount: 0, tax: 0, isTaxInclusive: false, balance: 0 });
    expect(amounts.due_amount).toBe(30);
    expect(collectionOf(amounts, 'usd')).toEqual({ charged: 0, balanceChange: -30 });
  });

  test('below zero become credit', () => {
    const amounts = orderAmounts({
      items: [-500],
      discount: 0,
      tax: 0,
      isTaxInclusive: false,
      balance: -200,
    });
    expect(amounts).toMatchObject({ due_amount: 0, applied_balance_amount: 200 });
    expect(collectionOf(amounts, 'usd')).toEqual({ charged: 0, balanceChange: 500 });
  });
});

test('the tax of items sums to the tax, and credits carry none', () => {
  fc.assert(
    fc.property(
      fc.array(money, { minLength: 1, maxLength: 20 }),
      fc.nat({ max: 9_999_999 }),
      (items, tax) => {
        const taxes = itemTaxes(items, tax);
        expect(taxes.reduce((sum, part) => sum + part, 0)).toBe(tax);
        if (items.some((amount) => amount > 0)) {
          expect(items.every((amount, index) => amount > 0 || taxes[index] === 0)).toBe(true);
        }
      },
    ),
  );
});

test('never more can be refunded than was paid', () => {
  fc.assert(
    fc.property(input, fc.nat({ max: 99_999_999 }), (given, refunded_amount) => {
      const amounts = orderAmounts(given);
      const refundable = refundableAmount({ ...amounts, refunded_amount });
      expect(refundable).toBeGreaterThanOrEqual(0);
      expect(refundable === 0 || refundable + refunded_amount).toBe(
        refundable === 0 || amounts.net_amount + amounts.applied_balance_amount,
      );
    }),
  );
});

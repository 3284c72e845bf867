import { parseDecimal } from '@tributary/runtime/decimal.ts';
import fc from 'fast-check';
import type { MeteredPrice, Price } from '../products/price.ts';
import { usageAmount, usageItems } from './usage.ts';

const price: MeteredPrice = {
  id: 'price',
  created_at: '2026-01-01T00:00:00Z',
  modified_at: null,
  source: 'catalog',
  price_currency: 'usd',
  tax_behavior: null,
  is_archived: false,
  product_id: 'product',
  amount_type: 'metered_unit',
  unit_amount: '0.5',
  cap_amount: null,
  meter_id: 'calls',
  meter: { id: 'calls', name: 'API calls', unit: 'scalar', custom_label: null, custom_multiplier: null },
};
const totals = (consumed: string | number, credited = 0) => ({
  consumed_units: parseDecimal(consumed),
  credited_units: credited,
});
const itemsFor = (prices: readonly Price[], consumed: string, credited = 0, currency = 'usd') =>
  usageItems(prices, () => totals(consumed, credited), currency);

describe('what usage costs', () => {
  test.each([
    ['3', 0, 2],
    ['2', 0, 1],
    ['1', 0, 1],
    ['0.9', 0, 0],
    ['1000', 999, 1],
    ['5', 5, 0],
    ['5', 50, 0],
  ])('%s units with %i credited at half a cent cost %i cents', (consumed, credited, amount) => {
    expect(usageAmount(price, totals(consumed, credited))).toBe(amount);
  });

  test('is at most the cap', () => {
    expect(usageAmount({ ...price, cap_amount: 100 }, totals(1_000))).toBe(100);
    expect(usageAmount({ ...price, cap_amount: 0 }, totals(1_000))).toBe(0);
  });

  test('is nothing for a meter never used', () => {
    expect(usageAmount(price, undefined)).toBe(0);
  });

  test('never falls with more usage, rises with more credits, exceeds the cap or goes below nothing', () => {
    const decimal = fc.tuple(fc.nat(1_000_000), fc.nat(999)).map(([whole, part]) => `${whole}.${part}`);
    fc.assert(
      fc.property(
        decimal,
        decimal,
        fc.nat(2_000_000),
        fc.nat(1_000),
        fc.option(fc.nat(100_000)),
        (used, more, credited, extra, cap) => {
          const capped = { ...price, cap_amount: cap };
          const cost = usageAmount(capped, totals(used, credited));
          const usedMore = {
            ...totals(used, credited),
            consumed_units: parseDecimal(used).plus(parseDecimal(more)),
          };
          expect(cost).toBeGreaterThanOrEqual(0);
          expect(usageAmount(capped, usedMore)).toBeGreaterThanOrEqual(cost);
          expect(usageAmount(capped, totals(used, credited + extra))).toBeLessThanOrEqual(cost);
          if (cap !== null) expect(cost).toBeLessThanOrEqual(cap);
          expect(Number.isSafeInteger(cost)).toBe(true);
        },
      ),
    );
  });
});

describe('usage on an order', () => {
  test('names meter, units and unit price', () => {
    expect(itemsFor([price], '1200.5', 200)).toEqual([
      { label: 'API calls (1000.5 × 0.005 USD)', amount: 500, product_price_id: 'price' },
    ]);
  });

  test('says when the cap holds', () => {
    expect(itemsFor([{ ...price, cap_amount: 100 }], '1000')[0]?.label).toBe(
      'API calls (1000 × 0.005 USD, capped at $1.00)',
    );
  });

  test('counts whole units of a currency without cents', () => {
    expect(itemsFor([{ ...price, unit_amount: '12' }], '3', 0, 'jpy')[0]).toMatchObject({
      label: 'API calls (3 × 12 JPY)',
      amount: 36,
    });
  });

  test('has no line for what costs nothing', () => {
    expect(itemsFor([price], '0')).toEqual([]);
    expect(itemsFor([price], '10', 10)).toEqual([]);
  });
});

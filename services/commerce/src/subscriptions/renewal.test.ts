import { newId } from '@tributary/proto/id.ts';
import { parseDecimal } from '@tributary/runtime/decimal.ts';
import fc from 'fast-check';
import type { Price } from '../products/price.ts';
import { fixed, meterCopy, metered, productCopy, seatBased } from '../testing/copies.ts';
import { finalDescription, finalItems, renewalDescription, renewalItems } from './renewal.ts';
import { newSubscription, type Subscription } from './subscription.ts';

const opened = { start: new Date('2026-02-15T12:00:00Z'), end: new Date('2026-03-15T12:00:00Z') };
const calls = meterCopy({ name: 'API calls' });
const storage = meterCopy({ name: 'Storage' });

function subscriptionTo(prices: Price[], seats: number | null = null, amount = 0): Subscription {
  const facts = { organization_id: newId(), customer_id: newId(), product_id: newId() };
  const cadence = { interval: 'month', count: 1 } as const;
  return newSubscription(
    {
      ...facts,
      discount_id: null,
      checkout_id: null,
      amount,
      currency: 'usd',
      seats,
      metadata: {},
      custom_field_data: {},
      prices,
      cadence,
      startsAt: opened.start,
      trialEnd: null,
    },
    opened.start,
  );
}
const pricesOf = (...prices: NonNullable<Parameters<typeof productCopy>[0]>['prices'] & object) => [
  ...productCopy({ prices }).prices,
];
const used = (...entries: [meterId: string, units: string | number, credited?: number][]) =>
  new Map(
    entries.map(([id, units, credited_units = 0]) => [
      id,
      { consumed_units: parseDecimal(units), credited_units },
    ]),
  );

describe('a renewal', () => {
  test('lists what the new period costs before what the old one used', () => {
    const prices = pricesOf(fixed(1_000), metered(calls, '0.5'), metered(storage, '2'));
    const items = renewalItems(
      subscriptionTo(prices),
      'Pro',
      opened,
      used([storage.id, 3], [calls.id, '10.5']),
    );
    expect(items.map(({ label, amount }) => [label, amount])).toEqual([
      ['Pro (2026-02-15 to 2026-03-15)', 1_000],
      ['API calls (10.5 × 0.005 USD)', 5],
      ['Storage (3 × 0.02 USD)', 6],
    ]);
    expect(items.map(({ product_price_id }) => product_price_id)).toEqual(prices.map(({ id }) => id));
    expect(renewalDescription('Pro', opened)).toBe('Pro (2026-02-15 to 2026-03-15)');
  });

  test.each([
    [1, '1 seat', 700],
    [12, '12 seats', 8_400],
  ])('counts %i seats as %s', (seats, words, amount) => {
    const subscription = subscriptionTo(pricesOf(seatBased(700)), seats);
    expect(renewalItems(subscription, 'Pro', opened, new Map())).toMatchObject([
      { label: `Pro (${words}, 2026-02-15 to 2026-03-15)`, amount },
    ]);
  });

  test('asks for each price exactly what it asks alone, never less than nothing', () => {
    const amount = fc.nat(100_000);
    const units = fc.tuple(fc.nat(1_000_000), fc.nat(99)).map(([whole, part]) => `${whole}.${part}`);
    fc.assert(
      fc.property(
        amount,
        fc.integer({ min: 1, max: 500 }),
        amount,
        units,
        units,
        fc.nat(1_000_000),
        (...given) => {
          const [price, seats, perSeat, callsUsed, stored, credited] = given;
          const prices = pricesOf(
            fixed(price),
            seatBased(perSeat),
            metered(calls, '0.37'),
            metered(storage, '1.5'),
          );
          const subscription = subscriptionTo(prices, seats);
          const usage = used([calls.id, callsUsed, credited], [storage.id, stored]);
          const total = (items: { amount: number }[]) => items.reduce((sum, item) => sum + item.amount, 0);
          const items = renewalItems(subscription, 'Pro', opened, usage);
          const alone = prices.map((one) =>
            total(renewalItems(subscriptionTo([one], seats), 'Pro', opened, usage)),
          );
          expect(total(items)).toBe(alone.reduce((sum, one) => sum + one, 0));
          expect(total(items)).toBe(price + seats * perSeat + total(finalItems(subscription, usage)));
          expect(items.every((item) => Number.isSafeInteger(item.amount) && item.amount >= 0)).toBe(true);
        },
      ),
    );
  });
});

test('the last order has only what was used', () => {
  const subscription = subscriptionTo(pricesOf(fixed(1_000), metered(calls, '1')));
  expect(finalItems(subscription, used([calls.id, 4]))).toMatchObject([
    { label: 'API calls (4 × 0.01 USD)', amount: 4 },
  ]);
  expect(finalItems(subscription, new Map())).toEqual([]);
  expect(finalDescription('Pro', opened)).toBe('Pro (usage, 2026-02-15 to 2026-03-15)');
});

import fc from 'fast-check';
import { custom, fixed, productCopy } from '../testing/copies.ts';
import {
  currenciesOf,
  isFree,
  leadingPrice,
  pricesIn,
  type SeatPrice,
  type SeatTier,
  seatAmount,
  staticAmount,
} from './price.ts';

const seatPrice = (tiers: SeatTier[], seat_tier_type?: 'volume' | 'graduated') =>
  productCopy({
    prices: [
      {
        amount_type: 'seat_based',
        seat_tiers: { seat_tier_type, tiers, minimum_seats: tiers[0]!.min_seats, maximum_seats: null },
      },
    ],
  }).prices[0] as SeatPrice;

const tiers: SeatTier[] = [
  { min_seats: 1, max_seats: 10, price_per_seat: 1_000 },
  { min_seats: 11, max_seats: 50, price_per_seat: 800 },
  { min_seats: 51, max_seats: null, price_per_seat: 500 },
];

describe('seats', () => {
  test.each([
    ['volume', 10, 10_000],
    ['volume', 11, 8_800],
    ['volume', 60, 30_000],
    ['graduated', 10, 10_000],
    ['graduated', 11, 10_800],
    ['graduated', 60, 10 * 1_000 + 40 * 800 + 10 * 500],
  ] as const)('%s, %d of them cost %d', (type, seats, amount) => {
    expect(seatAmount(seatPrice(tiers, type), seats)).toBe(amount);
  });

  test('at one rate cost the same in both ways, however the tiers are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 1, max: 10_000 }),
        (sizes, rate, seats) => {
          let next = 1;
          const cut = sizes.map((size, index): SeatTier => {
            const min_seats = next;
            next += size;
            return {
              min_seats,
              max_seats: index === sizes.length - 1 ? null : next - 1,
              price_per_seat: rate,
            };
          });
          expect(seatAmount(seatPrice(cut, 'graduated'), seats)).toBe(seats * rate);
          expect(seatAmount(seatPrice(cut, 'volume'), seats)).toBe(seats * rate);
        },
      ),
    );
  });

  test('below the first tier are paid at its rate', () => {
    const price = seatPrice([{ min_seats: 5, max_seats: null, price_per_seat: 100 }], 'graduated');
    expect(seatAmount(price, 5)).toBe(500);
  });
});

describe('prices of a product', () => {
  const { prices } = productCopy({
    prices: [fixed(1_000), fixed(900, 'eur'), { ...fixed(5), is_archived: true }],
  });

  test('are those of one currency that are on sale', () => {
    expect(
      pricesIn(prices, 'usd').map((price) => staticAmount(price, { seats: null, customAmount: null })),
    ).toEqual([1_000]);
    expect(currenciesOf(prices)).toEqual(['usd', 'eur']);
  });

  test('are free when all of them are fixed at nothing', () => {
    expect(isFree(productCopy({ prices: [fixed(0)] }).prices)).toBe(true);
    expect(isFree(productCopy({ prices: [custom(0)] }).prices)).toBe(false);
    expect(isFree([])).toBe(false);
  });

  test('lead with the one that is paid at once', () => {
    expect(leadingPrice(prices)).toBe(prices[0]);
  });
});

import fc from 'fast-check';
import {
  leadingAmount,
  type PriceSetContext,
  type PriceTerms,
  priceFaults,
  priceSetFaults,
} from './price.ts';

const blank: PriceTerms = {
  amount_type: 'fixed',
  price_currency: 'usd',
  tax_behavior: null,
  price_amount: null,
  minimum_amount: null,
  maximum_amount: null,
  preset_amount: null,
  seat_tiers: null,
  meter_id: null,
  unit_amount: null,
  cap_amount: null,
};
const fixed = (price_amount: number, given: Partial<PriceTerms> = {}): PriceTerms => ({
  ...blank,
  price_amount,
  ...given,
});
const custom = (given: Partial<PriceTerms> = {}): PriceTerms => ({
  ...blank,
  amount_type: 'custom',
  minimum_amount: 50,
  ...given,
});
const metered = (meter_id: string, given: Partial<PriceTerms> = {}): PriceTerms => ({
  ...blank,
  amount_type: 'metered_unit',
  meter_id,
  unit_amount: '0.5',
  ...given,
});
const seats = (tiers: [number, number | null, number][], given: Partial<PriceTerms> = {}): PriceTerms => ({
  ...blank,
  amount_type: 'seat_based',
  seat_tiers: {
    seat_tier_type: 'volume',
    tiers: tiers.map(([min_seats, max_seats, price_per_seat]) => ({ min_seats, max_seats, price_per_seat })),
  },
  ...given,
});

const context: PriceSetContext = { isRecurring: true, defaultCurrency: 'usd', hasSeatPricing: true };
const pathsOf = (prices: PriceTerms[], given: Partial<PriceSetContext> = {}) =>
  priceSetFaults(prices, { ...context, ...given }).map((fault) => fault.path.join('.'));

describe('a fixed price', () => {
  test.each([
    [0, 'usd', []],
    [49, 'usd', ['price_amount']],
    [50, 'usd', []],
    [99_999_999, 'usd', []],
    [100_000_000, 'usd', ['price_amount']],
    [79, 'jpy', ['price_amount']],
    [80, 'jpy', []],
    [1_600_000_000, 'idr', []],
  ])('of %i %s', (amount, price_currency, paths) => {
    expect(priceFaults(fixed(amount, { price_currency })).map(({ path }) => path.join('.'))).toEqual(paths);
  });
});

describe('a custom price', () => {
  test.each([
    [{ minimum_amount: 0 }, []],
    [{ minimum_amount: 30 }, ['minimum_amount']],
    [{ minimum_amount: 500, maximum_amount: 400 }, ['maximum_amount']],
    [{ minimum_amount: 500, maximum_amount: 500 }, []],
    [{ minimum_amount: 500, preset_amount: 0 }, []],
    [{ minimum_amount: 500, preset_amount: 499 }, ['preset_amount']],
    [{ minimum_amount: 500, maximum_amount: 600, preset_amount: 601 }, ['preset_amount']],
  ])('with %j', (given, paths) => {
    expect(priceFaults(custom(given)).map(({ path }) => path.join('.'))).toEqual(paths);
  });
});

describe('seat tiers', () => {
  test.each<[[number, number | null, number][], string[]]>([
    [[[1, null, 100]], []],
    [
      [
        [2, 5, 100],
        [6, null, 90],
      ],
      [],
    ],
    [
      [
        [1, 5, 100],
        [7, null, 90],
      ],
      ['seat_tiers.tiers.1.min_seats'],
    ],
    [
      [
        [1, 5, 100],
        [5, null, 90],
      ],
      ['seat_tiers.tiers.1.min_seats'],
    ],
    [
      [
        [1, null, 100],
        [6, 9, 90],
      ],
      ['seat_tiers.tiers.0.max_seats', 'seat_tiers.tiers.1.min_seats'],
    ],
    [[[3, 2, 100]], ['seat_tiers.tiers.0.max_seats']],
    [[[1, 2, 100_000_000]], ['seat_tiers.tiers.0.price_per_seat']],
  ])('%j', (tiers, paths) => {
    expect(priceFaults(seats(tiers)).map(({ path }) => path.join('.'))).toEqual(paths);
  });
});

describe('a set of prices', () => {
  test('needs one', () => expect(pathsOf([])).toEqual(['']));

  test.each<[string, PriceTerms[]]>([
    ['free and metered', [fixed(0), metered('a')]],
    ['fixed and metered', [fixed(100), metered('a'), metered('b')]],
    ['seats and metered', [seats([[1, null, 100]]), metered('a')]],
    ['custom and metered', [custom(), metered('a')]],
    ['fixed and seats', [fixed(100), seats([[1, null, 100]])]],
    ['the same in two currencies', [fixed(100), fixed(90, { price_currency: 'eur' })]],
  ])('may be %s', (_name, prices) => expect(pathsOf(prices)).toEqual([]));

  test.each<[string, PriceTerms[], string[]]>([
    ['two fixed prices', [fixed(100), fixed(200)], ['1']],
    ['two custom prices', [custom(), custom()], ['1']],
    ['custom beside fixed', [fixed(100), custom()], ['1']],
    ['fixed beside custom', [custom(), fixed(100)], ['1']],
    ['custom beside seats', [seats([[1, null, 1]]), custom()], ['1']],
    ['one meter twice', [fixed(100), metered('a'), metered('a')], ['2.meter_id']],
    ['no price in the default currency', [fixed(100, { price_currency: 'eur' })], ['']],
    ['different types by currency', [fixed(100), custom({ price_currency: 'eur' })], ['']],
    ['different meters by currency', [metered('a'), metered('b', { price_currency: 'eur' })], ['']],
    [
      'two tax behaviors in a currency',
      [fixed(100, { tax_behavior: 'inclusive' }), metered('a', { tax_behavior: 'exclusive' })],
      [''],
    ],
  ])('refuses %s', (_name, prices, paths) => expect(pathsOf(prices)).toEqual(paths));

  test('refuses metered prices on a one-time product', () =>
    expect(pathsOf([fixed(100), metered('a')], { isRecurring: false })).toEqual(['1.amount_type']));

  test('refuses seat prices where they are not enabled', () =>
    expect(pathsOf([seats([[1, null, 1]])], { hasSeatPricing: false })).toEqual(['0.amount_type']));
});

const currency = fc.constantFrom('usd', 'eur', 'jpy');
const anyPrice: fc.Arbitrary<PriceTerms> = fc.oneof(
  fc.record({ price_currency: currency }).map((given) => fixed(1_000, given)),
  fc.record({ price_currency: currency }).map((given) => custom({ ...given, minimum_amount: 0 })),
  fc.record({ price_currency: currency }).map((given) => seats([[1, null, 10]], given)),
  fc
    .tuple(fc.constantFrom('a', 'b'), currency)
    .map(([meter, price_currency]) => metered(meter, { price_currency })),
);

/** The rules said another way: by counting what each currency offers. */
function isSound(prices: readonly PriceTerms[]): boolean {
  const offers = Map.groupBy(prices, (price) => price.price_currency);
  if (!offers.has('usd')) return false;
  const kinds = [...offers.values()].map((group) =>
    group.map((price) => price.meter_id ?? price.amount_type).sort(),
  );
  const areUnique = kinds.every((kind) => new Set(kind).size === kind.length);
  const areAlike = kinds.every((kind) => kind.join() === kinds[0]!.join());
  const isCustomAlone = kinds.every(
    (kind) => !kind.includes('custom') || !(kind.includes('fixed') || kind.includes('seat_based')),
  );
  return areUnique && areAlike && isCustomAlone;
}

test('a set is accepted exactly when it is sound, in whatever order', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...Array(6).keys()], { minLength: 1 }),
      fc.array(anyPrice, { minLength: 6, maxLength: 6 }),
      (order, prices) => {
        const chosen = order.map((index) => prices[index]!);
        expect(pathsOf(chosen).length === 0).toBe(isSound(chosen));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a product is sorted by its first price that is not metered', () => {
  expect(leadingAmount([metered('a'), fixed(700)])).toEqual({ type: 'fixed', amount: 700 });
  expect(leadingAmount([seats([[1, null, 30]])])).toEqual({ type: 'seat_based', amount: 30 });
  expect(leadingAmount([metered('a')])).toEqual({ type: 'metered_unit', amount: null });
});

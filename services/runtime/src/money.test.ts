import fc from 'fast-check';
import { presentmentCurrencies } from './currencies.ts';
import { parseDecimal } from './decimal.ts';
import {
  allocate,
  formatMoney,
  isPresentmentCurrency,
  maximumCharge,
  minimumCharge,
  minorDigits,
  percentageOf,
  portionOf,
  roundHalfAwayFromZero,
  unitsToMoney,
} from './money.ts';

const amount = fc.integer({ min: -2_100_000_000, max: 2_100_000_000 });
const weights = fc.array(fc.nat(2_000_000_000), { minLength: 1, maxLength: 30 });

describe('currencies', () => {
  test('126 are accepted, each a distinct lower-case code', () => {
    expect(new Set(presentmentCurrencies).size).toBe(126);
    expect(presentmentCurrencies.every((code) => /^[a-z]{3}$/.test(code))).toBe(true);
    expect(isPresentmentCurrency('eur')).toBe(true);
    expect(isPresentmentCurrency('EUR')).toBe(false);
    expect(isPresentmentCurrency('xxx')).toBe(false);
  });

  test.each([
    ['jpy', 0],
    ['krw', 0],
    ['mga', 0],
    ['xpf', 0],
    ['usd', 2],
    ['isk', 2],
    ['huf', 2],
    ['twd', 2],
    ['ugx', 2],
  ])('%s has %i decimals', (currency, digits) => {
    expect(minorDigits(currency)).toBe(digits);
  });

  test('15 have no decimals', () => {
    expect(presentmentCurrencies.filter((code) => minorDigits(code) === 0)).toHaveLength(15);
  });

  test.each([
    ['gbp', 40],
    ['usd', 50],
    ['eur', 50],
    ['chf', 50],
    ['sgd', 70],
    ['jpy', 80],
    ['nzd', 90],
    ['bam', 100],
    ['ils', 150],
    ['aed', 200],
    ['brl', 250],
    ['pgk', 300],
    ['dkk', 320],
    ['hkd', 400],
    ['xof', 500],
    ['krw', 800],
    ['mxn', 900],
    ['zmw', 1_000],
    ['czk', 1_500],
    ['bif', 2_000],
    ['try', 3_000],
    ['php', 3_500],
    ['pyg', 4_000],
    ['all', 5_000],
    ['inr', 6_000],
    ['isk', 7_000],
    ['npr', 8_000],
    ['lrd', 10_000],
    ['huf', 17_500],
    ['vnd', 20_000],
    ['kzt', 30_000],
    ['aoa', 50_000],
    ['ngn', 70_000],
    ['ars', 75_000],
    ['mwk', 100_000],
    ['ugx', 200_000],
    ['khr', 300_000],
    ['uzs', 700_000],
    ['idr', 900_000],
    ['lak', 2_000_000],
  ])('charges in %s are at least %i', (currency, least) => {
    expect(minimumCharge(currency)).toBe(least);
  });

  test.each([
    ['usd', 99_999_999],
    ['huf', 99_999_999],
    ['ars', 140_000_000],
    ['cdf', 280_000_000],
    ['cop', 400_000_000],
    ['idr', 1_600_000_000],
    ['khr', 400_000_000],
    ['lak', 2_100_000_000],
    ['mnt', 350_000_000],
    ['mwk', 175_000_000],
    ['ngn', 155_000_000],
    ['tzs', 250_000_000],
    ['ugx', 370_000_000],
    ['uzs', 1_250_000_000],
  ])('charges in %s are at most %i', (currency, most) => {
    expect(maximumCharge(currency)).toBe(most);
  });

  test('every one has room between its smallest and largest charge', () => {
    expect(presentmentCurrencies.filter((code) => minimumCharge(code) >= maximumCharge(code))).toEqual([]);
  });
});

describe('rounding', () => {
  test.each([
    ['8.5', 9],
    ['-8.5', -9],
    ['7.5', 8],
    ['8.4999999999999999999', 8],
    ['8.5000000000000000001', 9],
    ['-0.4', 0],
    ['0.5', 1],
  ])('%s becomes %i', (value, rounded) => {
    expect(roundHalfAwayFromZero(parseDecimal(value))).toBe(rounded);
  });

  test('is symmetric and never moves a value by more than a half', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (thousandths) => {
        const value = parseDecimal(`${thousandths}`).div(1000);
        const rounded = roundHalfAwayFromZero(value);
        expect(roundHalfAwayFromZero(value.neg())).toBe(rounded === 0 ? 0 : -rounded);
        expect(value.minus(rounded).abs().lte(0.5)).toBe(true);
        if (value.minus(rounded).abs().eq(0.5)) expect(value.abs().lt(Math.abs(rounded))).toBe(true);
      }),
    );
  });

  test('refuses what a number cannot hold exactly', () => {
    expect(() => roundHalfAwayFromZero(parseDecimal('9007199254740992'))).toThrow(RangeError);
  });
});

describe('parts of an amount', () => {
  test.each([
    [1_000, 1_000, 100],
    [999, 5_000, 500],
    [-999, 5_000, -500],
    [1, 4_999, 0],
    [1_050, 1, 0],
    [5_000, 1, 1],
    [12_345, 10_000, 12_345],
  ])('of %i, %i basis points are %i', (whole, basisPoints, part) => {
    expect(percentageOf(whole, basisPoints)).toBe(part);
  });

  test('a portion equals the exact quotient rounded once', () => {
    fc.assert(
      fc.property(
        amount,
        fc.nat(3_000_000_000),
        fc.integer({ min: 1, max: 3_000_000_000 }),
        (whole, part, all) => {
          const numerator = Math.min(part, all);
          const twice = 2n * BigInt(whole) * BigInt(numerator);
          const share = BigInt(portionOf(whole, { numerator, denominator: all }));
          const error = twice - 2n * share * BigInt(all);
          expect(error <= BigInt(all) && -error <= BigInt(all)).toBe(true);
          if (error === BigInt(all) || -error === BigInt(all))
            expect(share * share * BigInt(all) * 2n > 0n).toBe(true);
        },
      ),
    );
  });

  test('refuses amounts that are not integers', () => {
    expect(() => percentageOf(10.5, 100)).toThrow(RangeError);
    expect(() => portionOf(10, { numerator: 1, denominator: 0 })).toThrow(RangeError);
  });
});

describe('splitting', () => {
  test.each([
    [100, [1, 1, 1], [34, 33, 33]],
    [-100, [1, 1, 1], [-34, -33, -33]],
    [5, [3, 7], [2, 3]],
    [1, [0, 5], [0, 1]],
    [7, [0, 0], [4, 3]],
    [0, [1, 2], [0, 0]],
    [0, [], []],
  ])('%i by %j is %j', (total, parts, shares) => {
    expect(allocate(total, parts)).toEqual(shares);
  });

  test('shares sum to the total, and each is less than one unit from its exact value', () => {
    fc.assert(
      fc.property(amount, weights, (total, parts) => {
        const shares = allocate(total, parts);
        expect(shares.reduce((left, right) => left + right, 0)).toBe(total);
        const sum = parts.reduce((left, right) => left + BigInt(right), 0n);
        fc.pre(sum > 0n);
        for (const [index, share] of shares.entries()) {
          const error = BigInt(share) * sum - BigInt(total) * BigInt(parts[index]!);
          expect(error < sum && -error < sum).toBe(true);
        }
      }),
    );
  });

  test('a negative total is split like the positive one', () => {
    fc.assert(
      fc.property(amount, weights, (total, parts) => {
        expect(allocate(-total, parts)).toEqual(allocate(total, parts).map((share) => 0 - share));
      }),
    );
  });

  test('a greater weight never gets a smaller share', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), weights, (total, parts) => {
        const ordered = parts.toSorted((a, b) => b - a);
        const shares = allocate(total, ordered);
        expect(shares).toEqual(shares.toSorted((a, b) => b - a));
      }),
    );
  });

  test('refuses negative weights, fractions, and money for nobody', () => {
    expect(() => allocate(10, [1, -1])).toThrow(RangeError);
    expect(() => allocate(10, [0.5, 0.5])).toThrow(RangeError);
    expect(() => allocate(10, [])).toThrow(RangeError);
  });
});

describe('metered units', () => {
  test.each([
    ['1000', '0.5', null, 500],
    ['3', '0.5', null, 2],
    ['12.5', '1.000000000001', null, 13],
    ['0', '10', null, 0],
    ['-4', '10', null, 0],
    ['1000', '2', 1_500, 1_500],
    ['1000', '2', 0, 0],
    ['700', '2', 1_500, 1_400],
  ])('%s units at %s with cap %j cost %i', (units, unitAmount, cap, cost) => {
    expect(unitsToMoney(parseDecimal(units), parseDecimal(unitAmount), cap)).toBe(cost);
  });

  test('a cost no number holds is shown as one that no currency can charge', () => {
    const cost = unitsToMoney(parseDecimal('1'.padEnd(40, '0')), parseDecimal('1'), null);
    expect(cost).toBe(Number.MAX_SAFE_INTEGER);
    expect(presentmentCurrencies.every((code) => cost > maximumCharge(code))).toBe(true);
  });
});

describe('amounts for people', () => {
  test.each([
    [1_000, 'usd', '$10.00'],
    [5, 'usd', '$0.05'],
    [-350, 'eur', '-€3.50'],
    [500, 'jpy', '¥500'],
    [0, 'krw', '₩0'],
    [123_456_789, 'usd', '$1,234,567.89'],
    [17_500, 'huf', 'HUF\u00a0175.00'],
    [Number.MAX_SAFE_INTEGER, 'usd', '$90,071,992,547,409.91'],
  ])('%i in %s is %s', (value, currency, shown) => {
    expect(formatMoney(value, currency)).toBe(shown);
  });

  test('every accepted currency can be shown', () => {
    for (const currency of presentmentCurrencies)
      expect(formatMoney(123_456, currency)).toMatch(/1,234\.56$|123,456$/);
  });
});

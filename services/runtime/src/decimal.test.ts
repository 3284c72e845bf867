import fc from 'fast-check';
import { atLeastZero, isDecimal, parseDecimal, toNumber, toWire } from './decimal.ts';

const UNIT_AMOUNT = { integerDigits: 5, fractionDigits: 12 };

describe('reading', () => {
  test.each([
    ['1', '1'],
    ['+1.50', '1.5'],
    ['-0.0', '0'],
    ['000.000000000001', '0.000000000001'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    [0.1, '0.1'],
    [1e-7, '0.0000001'],
    [1e21, '1000000000000000000000'],
    [-0, '0'],
  ])('%j is the decimal %s', (value, text) => {
    expect(toWire(parseDecimal(value))).toBe(text);
  });

  test.each([
    '',
    ' 1',
    '1 ',
    '.5',
    '5.',
    '1e5',
    '0x10',
    'NaN',
    'Infinity',
    '1,000',
    '--1',
    '1.2.3',
    '١',
    '1\n',
    '9'.repeat(61),
    '1'.repeat(10_000),
  ])('refuses the text %j', (value) => {
    expect(isDecimal(value)).toBe(false);
    expect(() => parseDecimal(value)).toThrow(RangeError);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e300, 1e-300])('refuses the number %d', (value) => {
    expect(isDecimal(value)).toBe(false);
  });

  test.each([
    ['99999.999999999999', true],
    ['100000', false],
    ['0.1234567890123', false],
    ['0.1234567890120000', true],
    ['0000000000099999', true],
    [1e-13, false],
  ])('%j fits five digits and twelve decimals: %j', (value, isInBounds) => {
    expect(isDecimal(value, UNIT_AMOUNT)).toBe(isInBounds);
  });
});

describe('writing', () => {
  test('what is written is read back as the same value, without exponent or trailing zeros', () => {
    const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 30 }), (value, places) => {
        const decimal = parseDecimal(`${value}`).div(parseDecimal(`1${'0'.repeat(places)}`));
        const text = toWire(decimal);
        expect(text).toMatch(/^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/);
        expect(parseDecimal(text).eq(decimal)).toBe(true);
        expect(`${decimal}`).not.toContain('e');
      }),
    );
  });

  test('every double survives the way through a decimal', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e40, max: 1e40, noNaN: true }), (value) => {
        fc.pre(isDecimal(value));
        expect(toNumber(parseDecimal(value))).toBe(value + 0);
      }),
    );
  });
});

test('a negative value is raised to zero, any other is kept', () => {
  expect(toWire(atLeastZero(parseDecimal('-0.000001')))).toBe('0');
  expect(toWire(atLeastZero(parseDecimal('2.5')))).toBe('2.5');
});

test('sums of decimals are exact where doubles are not', () => {
  expect(toWire(parseDecimal(0.1).plus(parseDecimal(0.2)))).toBe('0.3');
});

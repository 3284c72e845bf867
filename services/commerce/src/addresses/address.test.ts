import { ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { homeCurrency, isDetailed, normalizeAddress } from './address.ts';
import { readTaxId } from './tax-id.ts';

const bare = { line1: null, line2: null, postal_code: null, city: null, state: null };
const locOf = (work: () => unknown) => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ValidationProblem) return error.issues[0]!.loc;
    throw error;
  }
};

describe('an address', () => {
  test.each([
    ['US', 'NY', 'US-NY'],
    ['US', 'us-ny', 'US-NY'],
    ['CA', 'QC', 'CA-QC'],
    ['FR', 'Île-de-France', 'Île-de-France'],
  ])('in %s writes the state %s as %s', (country, state, kept) => {
    expect(normalizeAddress({ country, state }, ['body']).state).toBe(kept);
  });

  test('refuses a state that the country does not have', () => {
    expect(
      locOf(() => normalizeAddress({ country: 'US', state: 'CA-QC' }, ['body', 'billing_address'])),
    ).toEqual(['body', 'billing_address', 'state']);
  });

  test('keeps empty text as nothing', () => {
    expect(normalizeAddress({ country: 'DE', line1: '', city: ' ', postal_code: '10115' }, [])).toEqual({
      ...bare,
      country: 'DE',
      postal_code: '10115',
    });
  });

  test('is detailed once it has a street, or a state where the state alone says so', () => {
    expect(isDetailed({ ...bare, country: 'US', state: 'US-NY' })).toBe(false);
    expect(isDetailed({ ...bare, country: 'IT', state: 'RM' })).toBe(true);
    expect(isDetailed({ ...bare, country: 'US', line1: '1 Main St' })).toBe(true);
    expect(isDetailed(null)).toBe(false);
  });
});

test.each([
  ['US', ['eur', 'usd'], 'usd'],
  ['DE', ['usd', 'eur'], 'eur'],
  ['SN', ['usd', 'xof'], 'xof'],
  ['JP', ['usd', 'jpy'], 'jpy'],
  ['JP', ['usd'], undefined],
])('a buyer in %s offered %j pays in %s at home', (country, offered, currency) => {
  expect(homeCurrency(country, offered)).toBe(currency);
});

describe('a tax number', () => {
  test.each([
    ['FR', 'FR 61 954506077', ['FR61954506077', 'eu_vat']],
    ['GR', 'EL123456789', ['EL123456789', 'eu_vat']],
    ['US', '12-3456789', ['123456789', 'us_ein']],
    ['GB', 'GB123456789', ['GB123456789', 'gb_vat']],
    ['CH', 'CHE-123.456.789 MWST', ['CHE123456789MWST', 'ch_vat']],
  ])('of %s, %s, is read with its format', (country, text, expected) => {
    expect(readTaxId(text, country, ['body', 'tax_id'])).toEqual(expected);
  });

  test.each([
    ['US', 'nonsense'],
    ['FR', 'DE123456789'],
    ['AQ', '1'],
    [undefined, 'FR61954506077'],
  ])('of %s, %s, is refused where it stands', (country, text) => {
    expect(locOf(() => readTaxId(text, country, ['body', 'tax_id']))).toEqual(['body', 'tax_id']);
  });
});

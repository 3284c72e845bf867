import { ValidationProblem } from '@tributary/runtime/http/problem.ts';
import {
  anonymizeCustomer,
  avatarUrl,
  type Customer,
  type CustomerChange,
  changeCustomer,
  deleteCustomer,
  newCustomer,
} from './customer.ts';

const now = new Date('2026-01-15T12:00:00Z');
const later = new Date('2026-01-16T12:00:00Z');
const customer = (given: Partial<Customer> = {}): Customer => ({
  ...newCustomer('organization', { email: 'ada@example.com', name: 'Ada', external_id: 'ext' }, now),
  ...given,
});
const refusedAt = (change: CustomerChange, from = customer()) => {
  try {
    changeCustomer(from, change, later);
    return undefined;
  } catch (error) {
    if (error instanceof ValidationProblem) return error.issues[0]!.loc.join('.');
    throw error;
  }
};

describe('a change', () => {
  test('keeps what was not sent', () => {
    const before = customer();
    expect(changeCustomer(before, {}, later)).toEqual({ ...before, modified_at: later });
  });

  test('of the address takes its verification away', () => {
    const verified = customer({ email_verified: true });
    expect(changeCustomer(verified, { email: 'ADA@example.com' }, later).email_verified).toBe(true);
    expect(changeCustomer(verified, { email: 'eve@example.com' }, later).email_verified).toBe(false);
  });

  test.each<[string, CustomerChange, Partial<Customer>]>([
    ['body.external_id', { external_id: 'other' }, {}],
    ['body.external_id', { external_id: null }, {}],
    ['body.email', { email: null }, {}],
    ['body.type', { type: 'individual' }, { type: 'team' }],
    ['body.billing_address', { billing_address: null }, { billing_address: address('DE') }],
    ['body.billing_address.state', { billing_address: { country: 'US', state: 'XX' } }, {}],
    ['body.tax_id', { tax_id: 'FR61954506077' }, {}],
    ['body.tax_id', { tax_id: 'nonsense', billing_address: { country: 'FR' } }, {}],
  ])('is refused at %s for %j', (loc, change, given) => {
    expect(refusedAt(change, customer(given))).toBe(loc);
  });

  test('can give an external id once, take a tax number back, make an individual a team', () => {
    expect(changeCustomer(customer({ external_id: null }), { external_id: 'new' }, later).external_id).toBe(
      'new',
    );
    expect(
      changeCustomer(customer({ tax_id: ['123456789', 'us_ein'] }), { tax_id: null }, later).tax_id,
    ).toBeNull();
    expect(changeCustomer(customer(), { type: 'team' }, later).type).toBe('team');
    expect(refusedAt({ external_id: 'ext', billing_address: null })).toBeUndefined();
  });
});

function address(country: string) {
  return { line1: 'Street 1', line2: null, postal_code: null, city: null, state: null, country };
}

describe('a deleted customer', () => {
  test('frees its external id and remembers it', () => {
    expect(deleteCustomer(customer(), later)).toMatchObject({
      deleted_at: later,
      external_id: null,
      metadata: { __external_id: 'ext' },
      email: 'ada@example.com',
    });
  });

  test('that is anonymized tells nothing of the person', () => {
    const person = customer({ billing_address: address('DE'), billing_name: 'Ada Lovelace' });
    const left = anonymizeCustomer(deleteCustomer(person, later), later);
    expect(left.email).toMatch(/^[0-9a-f]{64}@anonymized\.invalid$/);
    expect(left.name).toMatch(/^[0-9a-f]{64}$/);
    expect(left.billing_name).toMatch(/^[0-9a-f]{64}$/);
    expect(left.billing_address).toBeNull();
    expect(left.metadata).toEqual({ __anonymized_at: later.toISOString(), __external_id: 'ext' });
    expect(JSON.stringify(left)).not.toContain('Ada');
    expect(anonymizeCustomer(left, now)).toBe(left);
  });

  test('whose metadata bore the notes of a deletion while it lived has only what is true', () => {
    const forged = customer({ metadata: { __anonymized_at: 'never', __external_id: 'none', plan: 'gold' } });
    expect(deleteCustomer(forged, later).metadata).toEqual({ plan: 'gold', __external_id: 'ext' });
  });

  test('that is a business keeps its name and tax number', () => {
    const business = customer({ tax_id: ['DE123456789', 'eu_vat'] });
    expect(anonymizeCustomer(business, later)).toMatchObject({
      name: 'Ada',
      tax_id: ['DE123456789', 'eu_vat'],
    });
  });
});

test('a picture belongs to the address, however it is written', () => {
  expect(avatarUrl('ADA@example.com ')).toBe(avatarUrl('ada@example.com'));
  expect(avatarUrl(null)).toBeNull();
});

test('short codes are eight letters and differ', () => {
  const codes = Array.from({ length: 50 }, () => customer().short_code);
  expect(codes.every((code) => /^[A-Z]{8}$/.test(code))).toBe(true);
  expect(new Set(codes).size).toBe(50);
});

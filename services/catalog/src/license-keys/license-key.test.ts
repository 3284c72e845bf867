import { Problem } from '@tributary/runtime/http/problem.ts';
import {
  type Activation,
  displayKey,
  generateKey,
  type LicenseKey,
  limitsOf,
  refuseActivation,
  statusWithGrant,
  validated,
} from './license-key.ts';

const NOW = new Date('2026-01-15T12:00:00Z');
const key: LicenseKey = {
  id: 'key',
  created_at: NOW,
  modified_at: null,
  organization_id: 'organization',
  customer_id: 'customer',
  member_id: null,
  benefit_id: 'benefit',
  benefit_grant_id: 'grant',
  key: 'ACME-1',
  status: 'granted',
  limit_activations: 3,
  usage: 5,
  limit_usage: 10,
  validations: 7,
  last_validated_at: null,
  expires_at: null,
};
const activation = (conditions: Activation['conditions']): Activation => ({
  id: 'activation',
  created_at: NOW,
  modified_at: null,
  license_key_id: 'key',
  label: 'laptop',
  conditions,
  meta: {},
});
const plain = { activation: undefined, conditions: {} };

function statusOf(work: () => unknown): number {
  try {
    work();
    return 200;
  } catch (error) {
    if (error instanceof Problem) return error.type.status;
    throw error;
  }
}

test('a key is an upper-case UUID behind its prefix', () => {
  expect(generateKey(null)).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
  expect(generateKey('my-app')).toMatch(/^MY-APP-[0-9A-F]{8}-/);
  expect(displayKey('ACME-00000000-0000-4000-8000-000000ABCDEF')).toBe('****-ABCDEF');
});

test.each<[string, Partial<LicenseKey>, Partial<Parameters<typeof validated>[1]>, number]>([
  ['a good key', {}, {}, 200],
  ['a revoked key', { status: 'revoked' }, {}, 404],
  ['a disabled key', { status: 'disabled' }, {}, 404],
  ['a key that expires now', { expires_at: NOW }, {}, 404],
  ['a key that expires later', { expires_at: new Date(NOW.getTime() + 1) }, {}, 200],
  ['an activation of another key', {}, { activation: null }, 404],
  ['an activation without conditions', {}, { activation: activation({}), conditions: { os: 'mac' } }, 200],
  [
    'an activation with the same conditions',
    {},
    { activation: activation({ a: 1, b: 'x' }), conditions: { b: 'x', a: 1 } },
    200,
  ],
  [
    'an activation with fewer conditions',
    {},
    { activation: activation({ a: 1, b: 'x' }), conditions: { a: 1 } },
    404,
  ],
  [
    'an activation with other conditions',
    {},
    { activation: activation({ a: 1 }), conditions: { a: '1' } },
    404,
  ],
  ['another benefit', {}, { benefit_id: 'other' }, 404],
  ['its benefit', {}, { benefit_id: 'benefit' }, 200],
  ['another customer', {}, { customer_id: 'other' }, 404],
  ['the last uses', {}, { increment_usage: 5 }, 200],
  ['more uses than are left', {}, { increment_usage: 6 }, 400],
  ['uses of a key without a limit', { limit_usage: null }, { increment_usage: 1_000_000 }, 200],
  ['an exhausted key, asked for nothing', { usage: 10 }, {}, 200],
])('validating %s', (_name, given, request, status) => {
  expect(statusOf(() => validated({ ...key, ...given }, { ...plain, ...request }, NOW))).toBe(status);
});

test('the order of checks decides what a client is told', () => {
  const bad = { ...plain, benefit_id: 'other', increment_usage: 100 };
  expect(statusOf(() => validated(key, bad, NOW))).toBe(404);
});

test('a validation counts itself and the uses', () => {
  expect(validated(key, { ...plain, increment_usage: 2 }, NOW)).toMatchObject({
    validations: 8,
    usage: 7,
    last_validated_at: NOW,
    modified_at: NOW,
  });
});

test.each<[string, Partial<LicenseKey>, number, number]>([
  ['below the limit', {}, 2, 200],
  ['at the limit', {}, 3, 403],
  ['a key without activations', { limit_activations: null }, 0, 403],
  ['an expired key', { expires_at: NOW }, 0, 403],
  ['a revoked key', { status: 'revoked' }, 0, 403],
])('activating %s', (_name, given, taken, status) => {
  expect(statusOf(() => refuseActivation({ ...key, ...given }, taken, NOW))).toBe(status);
});

test('a key from an order expires by the benefit, one from a subscription with the subscription', () => {
  const settings = {
    prefix: null,
    expires: { ttl: 1, timeframe: 'month' as const },
    activations: { limit: 2, enable_customer_admin: false },
    limit_usage: 9,
  };
  const granted = new Date('2026-01-31T10:00:00Z');
  expect(limitsOf(settings, granted, false)).toEqual({
    limit_activations: 2,
    limit_usage: 9,
    expires_at: new Date('2026-02-28T10:00:00Z'),
  });
  expect(limitsOf(settings, granted, true).expires_at).toBeNull();
});

test('a disabled key stays disabled whatever becomes of its grant', () => {
  expect(statusWithGrant('disabled', true)).toBe('disabled');
  expect(statusWithGrant('granted', false)).toBe('revoked');
  expect(statusWithGrant('revoked', true)).toBe('granted');
});

import { systemEventExamples } from './system/examples.ts';
import {
  familyOf,
  isSystemEventName,
  labelOf,
  readSystemEvent,
  type SystemEventName,
  systemEventMetadata,
  systemEventNames,
} from './system-events.ts';
import { eventFamilies } from './topics.ts';

/** Keys that must be there, by name: the other keys of the example are optional. */
const requiredKeys: Record<SystemEventName, string> = {
  'meter.credited': 'meter_id units rollover',
  'meter.reset': 'meter_id',
  'benefit.granted': 'benefit_id benefit_grant_id benefit_type',
  'benefit.cycled': 'benefit_id benefit_grant_id benefit_type',
  'benefit.updated': 'benefit_id benefit_grant_id benefit_type',
  'benefit.revoked': 'benefit_id benefit_grant_id benefit_type',
  'subscription.created':
    'subscription_id product_id amount currency recurring_interval recurring_interval_count started_at',
  'subscription.updated': 'subscription_id',
  'subscription.cycled': 'subscription_id',
  'subscription.canceled':
    'subscription_id amount currency recurring_interval recurring_interval_count canceled_at',
  'subscription.revoked': 'subscription_id',
  'subscription.past_due': 'subscription_id past_due_at',
  'subscription.reactivated': 'subscription_id',
  'subscription.reinstated': 'subscription_id',
  'subscription.paused': 'subscription_id paused_at',
  'subscription.resumed': 'subscription_id',
  'subscription.uncanceled':
    'subscription_id product_id amount currency recurring_interval recurring_interval_count',
  'subscription.product_updated': 'subscription_id old_product_id new_product_id',
  'subscription.seats_updated': 'subscription_id old_seats new_seats proration_behavior',
  'subscription.billing_period_updated': 'subscription_id old_period_end new_period_end',
  'subscription.update_cleared': 'subscription_id',
  'order.paid': 'order_id amount',
  'order.refunded': 'order_id refunded_amount currency',
  'order.voided': 'order_id amount currency',
  'order.unvoided': 'order_id amount currency',
  'checkout.created': 'checkout_id checkout_status',
  'customer.created': 'customer_id customer_email customer_name customer_external_id',
  'customer.updated': 'customer_id customer_email customer_name customer_external_id updated_fields',
  'customer.deleted': 'customer_id customer_email customer_name customer_external_id',
  'balance.order':
    'transaction_id order_id amount currency presentment_amount presentment_currency tax_amount fee',
  'balance.credit_order': 'order_id amount currency tax_amount fee',
  'balance.refund':
    'transaction_id refund_id amount currency presentment_amount presentment_currency tax_amount fee',
  'balance.refund_reversal':
    'transaction_id refund_id amount currency presentment_amount presentment_currency tax_amount fee',
  'balance.dispute':
    'transaction_id dispute_id amount currency presentment_amount presentment_currency tax_amount fee',
  'balance.dispute_reversal':
    'transaction_id dispute_id amount currency presentment_amount presentment_currency tax_amount fee',
};

const names = Object.keys(requiredKeys) as SystemEventName[];

/** Keys that may be null, as the contract says; every other value must be known or its key absent. */
const nullableKeys = new Map<string, readonly string[]>([
  ['subscription.updated', ['discount_id']],
  ...['customer.created', 'customer.updated', 'customer.deleted'].map((name): [string, string[]] => [
    name,
    ['customer_email', 'customer_name', 'customer_external_id'],
  ]),
  ...names
    .filter((name) => name.startsWith('balance.'))
    .map((name): [string, string[]] => [name, ['tax_state', 'tax_country']]),
]);

test('there are 35 names', () => {
  expect(systemEventNames).toHaveLength(35);
  expect(systemEventNames.toSorted()).toEqual(names.toSorted());
});

describe.each(names)('%s', (name) => {
  const shape = systemEventMetadata[name];
  const example: Record<string, unknown> = systemEventExamples[name];
  const required = requiredKeys[name].split(' ');

  test('accepts a complete example as it is', () => {
    expect(shape.parse(example)).toEqual(example);
  });

  test('has an example that shows every key', () => {
    expect(Object.keys(example).toSorted()).toEqual(Object.keys(shape.shape).toSorted());
  });

  test('accepts the required keys alone', () => {
    const least = Object.fromEntries(required.map((key) => [key, example[key]]));
    expect(shape.parse(least)).toEqual(least);
  });

  test.each(required)('refuses to go without %s', (missing) => {
    const { [missing]: _, ...rest } = example;
    expect(shape.safeParse(rest).success).toBe(false);
  });

  test('accepts null only where the contract has it', () => {
    const nullable = Object.keys(example).filter(
      (key) => shape.safeParse({ ...example, [key]: null }).success,
    );
    expect(nullable.toSorted()).toEqual((nullableKeys.get(name) ?? []).toSorted());
  });

  test('drops a key it does not know', () => {
    expect(shape.parse({ ...example, surprise: 1 })).toEqual(example);
  });

  test('belongs to a family with a topic', () => {
    expect(eventFamilies).toContain(familyOf(name));
    expect(name.startsWith(`${familyOf(name)}.`)).toBe(true);
  });

  test('has a label of capitalised words', () => {
    expect(labelOf(name)).toMatch(/^[A-Z][a-z]+( [A-Z][a-z]+)+$/);
    expect(labelOf(name).toLowerCase().replaceAll(' ', '')).toBe(name.replaceAll(/[._]/g, ''));
  });
});

test.each([
  ['subscription.past_due', 'Subscription Past Due'],
  ['order.paid', 'Order Paid'],
  ['balance.refund_reversal', 'Balance Refund Reversal'],
] as const)('%s reads %s', (name, label) => {
  expect(labelOf(name)).toBe(label);
});

test.each([
  ['an amount with a fraction', 'order.refunded', { refunded_amount: 1.5 }],
  ['a date without offset', 'subscription.canceled', { canceled_at: '2026-04-20T12:00:00' }],
  ['a benefit type of its own', 'benefit.granted', { benefit_type: 'gold' }],
  ['an unknown way to prorate', 'subscription.updated', { proration_behavior: 'guess' }],
  [
    'an address without country',
    'customer.updated',
    { updated_fields: { billing_address: { city: 'Rome' } } },
  ],
] as const)('refuses %s', (_what, name, change) => {
  expect(systemEventMetadata[name].safeParse({ ...systemEventExamples[name], ...change }).success).toBe(
    false,
  );
});

test('knows its names from other texts', () => {
  expect(isSystemEventName('order.paid')).toBe(true);
  expect(isSystemEventName('api_call')).toBe(false);
  expect(isSystemEventName('toString')).toBe(false);
});

describe('reading a message of an event topic', () => {
  const event = {
    id: '3b1f8a52-6c0d-4e9b-8f27-d5a4c6e7b809',
    timestamp: '2026-04-01T09:30:00.000Z',
    organization_id: '5c2e9b63-7d1e-4fac-9038-e6b5d7f8c91a',
    customer_id: 'a7e303b4-14f8-4705-94eb-d3c625b8f41a',
    external_customer_id: null,
    name: 'meter.reset',
    source: 'system',
    label: 'Meter Reset',
    metadata: systemEventExamples['meter.reset'],
  };

  test('gives the event', () => {
    expect(readSystemEvent(event)).toEqual(event);
  });

  test('overlooks what a later release added', () => {
    expect(readSystemEvent({ ...event, colour: 'red' })).toEqual(event);
  });

  test.each([
    ['no object', 'meter.reset'],
    ['a tombstone', null],
    ['an unknown name', { ...event, name: 'meter.exploded' }],
    ["another event's metadata", { ...event, name: 'order.paid' }],
    ['an id that is no UUIDv4', { ...event, id: '1' }],
    ['a user event', { ...event, source: 'user' }],
  ])('refuses %s', (_what, value) => {
    expect(() => readSystemEvent(value)).toThrow(TypeError);
  });
});

import {
  emailCommand,
  type OutgoingMessage,
  type SystemEventContext,
  stateChanged,
  stateDeleted,
  systemEvent,
  tokenRevoked,
  webhookEvent,
} from './message.ts';
import { systemEventExamples } from './system/examples.ts';
import { familyOf, systemEventNames } from './system-events.ts';
import { eventTopics, stateResources, stateTopics } from './topics.ts';
import { webhookEventTypes } from './webhook-events.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const organization_id = '5c2e9b63-7d1e-4fac-9038-e6b5d7f8c91a';
const customer_id = 'a7e303b4-14f8-4705-94eb-d3c625b8f41a';
const order_id = '85c1e192-f2d6-45e3-b2c9-b1a40396d2f8';
const checkout_id = '96d2f2a3-03e7-46f4-83da-c2b514a7e309';
const id = '3b1f8a52-6c0d-4e9b-8f27-d5a4c6e7b809';
const timestamp = new Date('2026-04-01T09:30:00.000Z');
const context = { organization_id, customer_id, external_customer_id: 'user_42', timestamp };

const wire = (message: OutgoingMessage) => JSON.parse(JSON.stringify(message));

describe('a system event', () => {
  test.each(systemEventNames)('%s goes to its family, keyed by customer', (name) => {
    const message = systemEvent(name, context, systemEventExamples[name], id);
    expect(message).toMatchObject({ topic: eventTopics[familyOf(name)].name, key: customer_id, type: name });
    expect(message.value).toMatchObject({ id, name, metadata: systemEventExamples[name] });
    expect(message.subject).toMatch(UUID_V4);
  });

  test('carries all that a reader needs', () => {
    expect(wire(systemEvent('order.paid', context, { order_id, amount: 1083 }, id))).toEqual({
      id,
      topic: 'tributary.events.order',
      key: customer_id,
      type: 'order.paid',
      subject: order_id,
      organization_id,
      value: {
        id,
        timestamp: '2026-04-01T09:30:00.000Z',
        organization_id,
        customer_id,
        external_customer_id: 'user_42',
        name: 'order.paid',
        source: 'system',
        label: 'Order Paid',
        metadata: { order_id, amount: 1083 },
      },
    });
  });

  test('leaves out what is not known', () => {
    const message = systemEvent('order.paid', context, { order_id, amount: 1, currency: undefined }, id);
    expect(wire(message).value.metadata).toEqual({ order_id, amount: 1 });
  });

  test('names the member who acted', () => {
    const member_id = '307c9f4d-ad81-409e-ad74-6c5fbe418da3';
    const message = systemEvent('order.paid', { ...context, member_id }, { order_id, amount: 1 });
    expect(message.value).toMatchObject({ member_id });
  });

  test('gets an id of its own when none is given', () => {
    const message = systemEvent('order.paid', context, { order_id, amount: 1 });
    expect(message.id).toMatch(UUID_V4);
    expect(message.value?.id).toBe(message.id);
  });

  test('of a checkout without customer is keyed by the checkout', () => {
    const nobody = { ...context, customer_id: null, external_customer_id: null };
    const message = systemEvent('checkout.created', nobody, { checkout_id, checkout_status: 'open' });
    expect(message.key).toBe(checkout_id);
    expect(message.value?.customer_id).toBeNull();
  });

  test('of a checkout with a customer is keyed by the customer', () => {
    expect(systemEvent('checkout.created', context, { checkout_id, checkout_status: 'open' }).key).toBe(
      customer_id,
    );
  });

  test('of an order needs a customer', () => {
    const nobody = { ...context, customer_id: null } as unknown as SystemEventContext<'order.paid'>;
    expect(() => systemEvent('order.paid', nobody, { order_id, amount: 1 })).toThrow(
      'order.paid needs a customer',
    );
  });

  test('tells of its ledger transaction, or of the order where there is none', () => {
    const { 'balance.order': paid, 'balance.credit_order': credited } = systemEventExamples;
    expect(systemEvent('balance.order', context, paid).subject).toBe(paid.transaction_id);
    expect(systemEvent('balance.credit_order', context, credited).subject).toBe(credited.order_id);
  });

  test('that does not fit is a TypeError, not a validation error of the request', () => {
    expect(() => systemEvent('order.paid', context, { order_id, amount: 1.5 })).toThrow(TypeError);
    expect(() => systemEvent('order.paid', context, { order_id, amount: 1 }, 'one')).toThrow(TypeError);
    expect(() =>
      systemEvent('order.paid', { ...context, organization_id: 'acme' }, { order_id, amount: 1 }),
    ).toThrow(TypeError);
  });
});

describe('a state message', () => {
  test.each(stateResources)('of %s is keyed by the record', (resource) => {
    const changed = stateChanged(resource, customer_id, { id: customer_id, name: 'Ada' });
    const deleted = stateDeleted(resource, customer_id);
    const address = { topic: stateTopics[resource].name, key: customer_id, subject: customer_id };
    expect(changed).toMatchObject({ ...address, type: `${resource}.changed`, value: { name: 'Ada' } });
    expect(deleted).toMatchObject({ ...address, type: `${resource}.deleted`, value: null });
    expect(changed.id).not.toBe(deleted.id);
  });

  test('refuses to present another record', () => {
    expect(() => stateChanged('customers', customer_id, { id: order_id })).toThrow(TypeError);
  });

  test('refuses an id that is none', () => {
    expect(() => stateDeleted('customers', 'ada')).toThrow(TypeError);
  });
});

describe('a webhook event', () => {
  test('there are 41 kinds', () => {
    expect(new Set(webhookEventTypes).size).toBe(41);
  });

  test.each(webhookEventTypes)('%s is keyed by organization', (type) => {
    const message = webhookEvent(type, organization_id, { id: order_id, amount: 1 }, timestamp, id);
    expect(message).toEqual({
      id,
      topic: 'tributary.webhooks',
      key: organization_id,
      type,
      subject: order_id,
      organization_id,
      value: {
        organization_id,
        type,
        timestamp: '2026-04-01T09:30:00.000Z',
        data: { id: order_id, amount: 1 },
      },
    });
  });

  test('refuses an organization that is none', () => {
    expect(() => webhookEvent('order.paid', '', {}, timestamp)).toThrow(TypeError);
  });
});

describe('a mail', () => {
  const mail = { organization_id, to: 'Ada@Example.com', template: 'order_receipt', data: { number: 'A-1' } };

  test('is keyed by its recipient', () => {
    expect(emailCommand(mail, id)).toEqual({
      id,
      topic: 'tributary.emails',
      key: 'ada@example.com',
      type: 'email.send',
      subject: null,
      organization_id,
      value: mail,
    });
  });

  test("may be the platform's own", () => {
    const message = emailCommand({ ...mail, organization_id: null });
    expect(message.value?.organization_id).toBeNull();
    expect(message).not.toHaveProperty('organization_id');
  });

  test.each(['ada', 'ada@', '@example.com', 'ada@example.com\r\nbcc: eve@example.com', ''])(
    'refuses the address %j',
    (to) => {
      expect(() => emailCommand({ ...mail, to })).toThrow(TypeError);
    },
  );
});

test('a revoked token is told by its id alone', () => {
  expect(tokenRevoked('9f86d081', id)).toEqual({
    id,
    topic: 'tributary.tokens',
    key: '9f86d081',
    type: 'token.revoked',
    subject: null,
    value: { token_id: '9f86d081' },
  });
  expect(() => tokenRevoked('')).toThrow(TypeError);
});

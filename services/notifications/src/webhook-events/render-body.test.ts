import {
  type WebhookEventType,
  type WebhookEventValue,
  webhookEventTypes,
} from '@tributary/proto/events/webhook-events.ts';
import { newId } from '@tributary/proto/id.ts';
import { renderBody } from './render-body.ts';

const event = (type: WebhookEventType, data: Record<string, unknown> = {}): WebhookEventValue => ({
  organization_id: newId(),
  type,
  timestamp: '2026-01-15T12:00:00.000Z',
  data,
});

const rendered = (format: 'raw' | 'discord' | 'slack', value: WebhookEventValue) =>
  JSON.parse(renderBody(format, value) ?? 'null');

const order = {
  id: newId(),
  total_amount: 1250,
  currency: 'usd',
  invoice_number: 'ACME-0001',
  customer: { name: 'Zoë', email: 'zoe@example.com' },
  product: { name: 'Pro' },
};

test('raw is the envelope of every kind, and nothing else', () => {
  for (const type of webhookEventTypes) {
    expect(rendered('raw', event(type, { id: 1 }))).toEqual({
      type,
      timestamp: '2026-01-15T12:00:00.000Z',
      data: { id: 1 },
    });
  }
});

test('discord shows an order as an embed', () => {
  expect(rendered('discord', event('order.paid', order))).toEqual({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: 'Order paid',
        timestamp: '2026-01-15T12:00:00.000Z',
        fields: [
          { name: 'Customer', value: 'Zoë \\(zoe\\@example.com\\)', inline: true },
          { name: 'Product', value: 'Pro', inline: true },
          { name: 'Amount', value: '$12.50', inline: true },
          { name: 'Invoice', value: 'ACME\\-0001', inline: true },
        ],
      },
    ],
  });
});

test('slack shows a subscription as blocks', () => {
  const subscription = {
    amount: 500,
    currency: 'jpy',
    customer: { name: null, email: 'a@b.c' },
    product: { name: 'Pro & more' },
    customer_cancellation_reason: 'too_expensive',
  };
  expect(rendered('slack', event('subscription.canceled', subscription))).toEqual({
    text: 'Subscription canceled',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Subscription canceled' } },
      {
        type: 'section',
        fields: [
          { type: 'mrkdwn', text: '*Customer*\na@b.c' },
          { type: 'mrkdwn', text: '*Product*\nPro &amp; more' },
          { type: 'mrkdwn', text: '*Amount*\n¥500' },
          { type: 'mrkdwn', text: '*Reason*\ntoo_expensive' },
        ],
      },
    ],
  });
});

test('chats hear nothing of kinds that are no news to people', () => {
  const heard = webhookEventTypes.filter((type) => renderBody('slack', event(type)) !== null);
  expect(heard).toEqual([
    'customer.created',
    'order.created',
    'order.paid',
    'order.refunded',
    'subscription.created',
    'subscription.active',
    'subscription.canceled',
    'subscription.uncanceled',
    'subscription.revoked',
    'subscription.past_due',
    'subscription.paused',
    'subscription.resumed',
    'refund.created',
  ]);
  expect(webhookEventTypes.filter((type) => renderBody('discord', event(type)) !== null)).toEqual(heard);
});

test('a customer cannot mention people or place links by their name', () => {
  const hostile = {
    ...order,
    customer: { name: '@everyone <!channel> [free](https://evil.test) `x`', email: 'a@b.c' },
  };
  const [{ fields }] = rendered('discord', event('order.paid', hostile)).embeds;
  expect(fields[0].value).toContain('\\@everyone \\<!channel\\> \\[free\\]\\(https\\://evil.test\\)');
  const [, section] = rendered('slack', event('order.paid', hostile)).blocks;
  expect(section.fields[0].text).toContain('&lt;!channel&gt;');
});

test('what data lacks, or has of another type, is left out', () => {
  const odd = {
    customer: 'x',
    product: null,
    total_amount: '12',
    currency: 5,
    amount: 1.5,
    invoice_number: {},
  };
  expect(rendered('slack', event('order.paid', odd)).blocks).toHaveLength(1);
  expect(rendered('discord', event('order.paid', odd)).embeds[0].fields).toEqual([]);
});

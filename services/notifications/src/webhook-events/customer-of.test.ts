import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import { newId } from '@tributary/proto/id.ts';
import { customerOf } from './customer-of.ts';

const id = newId();
const other = newId();

test.each<[WebhookEventType, Record<string, unknown>, string | null]>([
  ['customer.updated', { id, customer_id: other }, id],
  ['customer.state_changed', { id }, id],
  ['order.paid', { id: other, customer_id: id }, id],
  ['checkout.created', { id: other, customer_id: null, customer: null }, null],
  ['refund.created', { id: other, customer: { id } }, id],
  ['member.created', { id: other, customer_id: id }, id],
  ['customer_seat.claimed', { id: other, customer_id: id }, id],
  ['product.created', { id: other }, null],
  ['order.paid', { id: other, customer_id: 'not an id' }, null],
  ['order.paid', { id: other, customer: 'Zoë' }, null],
])('the customer of %s', (type, data, expected) => {
  expect(customerOf({ organization_id: newId(), type, timestamp: '2026-01-15T12:00:00Z', data })).toBe(
    expected,
  );
});

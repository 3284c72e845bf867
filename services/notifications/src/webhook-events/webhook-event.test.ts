import { newId } from '@tributary/proto/id.ts';
import { afterAttempt, isSuccess, redelivered, type WebhookEvent, waitMs } from './webhook-event.ts';

const NOW = new Date('2026-01-15T12:00:00Z');
const event: WebhookEvent = {
  id: newId(),
  created_at: NOW,
  modified_at: null,
  organization_id: newId(),
  endpoint_id: newId(),
  message_id: newId(),
  format: 'raw',
  type: 'order.paid',
  succeeded: null,
  skipped: false,
  last_http_code: null,
  failures: 0,
  due_at: NOW,
  claim_id: newId(),
};
const answered = (http_code: number | null) => ({ http_code, response: '' });

test.each([
  [199, false],
  [200, true],
  [204, true],
  [299, true],
  [300, false],
  [301, false],
  [304, false],
  [400, false],
  [410, false],
  [500, false],
  [null, false],
])('an answer %s counts as success: %s', (code, expected) => {
  expect(isSuccess(answered(code))).toBe(expected);
});

test('a success settles the event', () => {
  expect(afterAttempt(event, answered(200), true, NOW, 0)).toMatchObject({
    succeeded: true,
    due_at: null,
    claim_id: null,
    last_http_code: 200,
    modified_at: NOW,
  });
});

test('a failure leaves it pending, the tenth settles it', () => {
  expect(afterAttempt(event, answered(500), true, NOW, 1)).toMatchObject({
    succeeded: null,
    failures: 1,
    due_at: new Date('2026-01-15T12:00:04Z'),
  });
  expect(afterAttempt({ ...event, failures: 9 }, answered(null), true, NOW, 1)).toMatchObject({
    succeeded: false,
    failures: 10,
    due_at: null,
    last_http_code: null,
  });
});

test('a failure at an endpoint that no longer listens is not tried again', () => {
  expect(afterAttempt(event, answered(500), false, NOW, 1)).toMatchObject({ skipped: true, due_at: null });
});

test('an event that was skipped during its attempt and yet came through is a success', () => {
  const skipped = { ...event, skipped: true, due_at: null };
  expect(afterAttempt(skipped, answered(204), false, NOW, 1)).toMatchObject({
    succeeded: true,
    skipped: false,
  });
});

test('a settled event that is sent again has all its attempts before it', () => {
  const settled = { ...event, succeeded: true, skipped: true, failures: 10, due_at: null, claim_id: null };
  expect(redelivered(settled, NOW)).toMatchObject({
    succeeded: null,
    skipped: false,
    failures: 0,
    due_at: NOW,
  });
});

test('a pending event that is sent again goes now and keeps its count; one under way is left alone', () => {
  const later = new Date(NOW.getTime() + 60_000);
  const pending = { ...event, failures: 3, due_at: later, claim_id: null };
  expect(redelivered(pending, NOW)).toMatchObject({ failures: 3, due_at: NOW });
  expect(redelivered({ ...pending, claim_id: newId() }, NOW)).toMatchObject({ failures: 3, due_at: later });
});

test.each([
  [0, 0, 0],
  [0, 3, 0],
  [0, 4, 300],
  [1, 0, 300],
  [2, 1, 600],
  [199, 0, 59_700],
  [200, 0, 60_000],
  [5_000, 0, 60_000],
])('behind %i pending events, %i under way, an event waits %i ms', (ahead, busy, expected) => {
  expect(waitMs(ahead, busy)).toBe(expected);
});

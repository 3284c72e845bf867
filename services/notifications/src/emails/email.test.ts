import { newId } from '@tributary/proto/id.ts';
import { afterHandover, type Email, recipientHash } from './email.ts';

const NOW = new Date('2026-01-15T12:00:00Z');
const email: Email = {
  id: newId(),
  created_at: NOW,
  organization_id: newId(),
  recipient: 'a@b.c',
  recipient_hash: recipientHash('a@b.c'),
  template: 'login_code',
  data: { code: 'ABC123' },
  status: 'pending',
  failures: 0,
  error: null,
  due_at: NOW,
  claim_id: newId(),
  sent_at: null,
};
const failed = (isFinal = false) => ({ sent: false as const, error: 'greylisted', isFinal });

test('a mail that was sent keeps nothing that it said', () => {
  expect(afterHandover(email, { sent: true }, NOW, 0)).toMatchObject({
    status: 'sent',
    sent_at: NOW,
    data: null,
    due_at: null,
    claim_id: null,
  });
});

test('a failure is tried again after half a minute or less, for most of a day', () => {
  expect(afterHandover(email, failed(), NOW, 1)).toMatchObject({
    status: 'pending',
    failures: 1,
    error: 'greylisted',
    due_at: new Date(NOW.getTime() + 30_000),
  });
  let waited = 0;
  let state: Email = email;
  while (state.status === 'pending') {
    state = afterHandover(state, failed(), NOW, 1);
    waited += (state.due_at?.getTime() ?? NOW.getTime()) - NOW.getTime();
  }
  expect(state).toMatchObject({ status: 'failed', failures: 12, data: null, due_at: null });
  expect(waited / 3_600_000).toBeGreaterThan(8);
});

test('a refusal for good is not tried again', () => {
  expect(afterHandover(email, failed(true), NOW, 0)).toMatchObject({
    status: 'failed',
    failures: 1,
    due_at: null,
  });
});

test('an error is kept no longer than it is useful', () => {
  const { error } = afterHandover(email, { sent: false, error: 'x'.repeat(9_999), isFinal: false }, NOW, 0);
  expect(error).toHaveLength(500);
});

test('one person is found under every spelling of an address', () => {
  expect(recipientHash('Zoe@Example.com')).toBe(recipientHash('zoe@example.COM'));
});

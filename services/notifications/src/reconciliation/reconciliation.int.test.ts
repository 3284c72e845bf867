import { emailCommand, webhookEvent } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import { type BooksUnderTest, booksUnderTest } from '@tributary/runtime/testing/books.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { reconciliation } from '../reconciliation.ts';
import { type Notifications, notificationsUnderTest } from '../testing/notifications.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';

let service: Notifications;
let receiver: Receiver;
let books: BooksUnderTest;
beforeAll(async () => {
  service = await notificationsUnderTest();
  receiver = await startReceiver();
  books = booksUnderTest(service.app.db, reconciliation, () => service.clock.now());
  const organizationId = newId();
  await service.request('POST', '/v1/webhooks/endpoints', {
    as: organizationToken(organizationId),
    body: { url: receiver.url, format: 'raw', events: ['order.paid'] },
  });
  const happen = () =>
    service.tell(webhookEvent('order.paid', organizationId, { id: newId() }, service.clock.now()));
  await happen();
  await service.sendDueWebhooks();
  receiver.answerWith(500);
  await happen();
  await service.sendDueWebhooks();
  const mail = { organization_id: organizationId, to: 'zoe@example.com', template: 'login_code' };
  await service.tell(emailCommand({ ...mail, data: { code: 'ABC123' } }));
  await service.sendDueEmails();
}, 60_000);
afterAll(async () => {
  await receiver?.stop();
  await service?.stop();
});

test('one webhook that came through, one that is tried again, and a mail add up', async () => {
  expect(await books.broken()).toEqual([]);
});

test.each([
  [
    'the attempt that came through is lost',
    'webhook_deliveries',
    'delete from webhook_deliveries where succeeded',
    ['webhooks: said to have come through without an attempt that did'],
  ],
  [
    'an event that came through is said to have failed',
    'webhook_events',
    'update webhook_events set succeeded = false where succeeded',
    ['webhooks: came through and said to have failed'],
  ],
  [
    'an event is no longer pending, though nothing came of it',
    'webhook_events',
    'update webhook_events set due_at = null where succeeded is null',
    ['webhooks: neither done nor pending'],
  ],
  [
    'nobody sends what is due',
    'webhook_events',
    `update webhook_events set due_at = '2000-01-01' where succeeded is null`,
    ['webhooks: due and forgotten'],
  ],
  ['a body is lost', 'webhook_bodies', 'delete from webhook_bodies', ['webhooks: pending without a body']],
  [
    'nobody sends mails',
    'emails',
    `update emails set status = 'pending', sent_at = null, due_at = '2000-01-01'`,
    ['mails: due and forgotten'],
  ],
  [
    'a mail is said to be pending',
    'emails',
    `update emails set status = 'pending'`,
    ['mails: neither done nor pending'],
  ],
])('says so when %s', async (_what, table, sql, names) => {
  expect(await books.brokenBy(table, sql)).toEqual(names);
});

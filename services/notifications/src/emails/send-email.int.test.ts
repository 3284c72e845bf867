import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emailCommand } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import { type Notifications, notificationsUnderTest } from '../testing/notifications.ts';
import type { Mail, Mailer } from './mailer.ts';
import { claimEmails, sendEmail } from './send-email.flow.ts';
import { deleteOldEmails } from './store.ts';

/** A mail server that takes what it is given, or fails the way it is told to. */
const server = {
  taken: [] as Mail[],
  failure: undefined as Error | undefined,
  async send(mail: Mail) {
    if (server.failure) throw server.failure;
    server.taken.push(mail);
  },
  async forget() {},
  close() {},
} satisfies Mailer & Record<string, unknown>;

let service: Notifications;
beforeAll(async () => {
  service = await notificationsUnderTest({ mailer: server });
});
afterAll(() => service?.stop());
beforeEach(() => {
  server.taken = [];
  server.failure = undefined;
});

const order = (template = 'login_code', data: object = { code: 'ABC123' }) =>
  emailCommand({ organization_id: newId(), to: 'Zoe@example.com', template, data: { ...data } });

const logOf = async (id: string) =>
  (await service.database.db.query('select * from emails where id = $1', [id]))[0];

test('a mail is sent once however often its order is delivered, and the log keeps nothing that it said', async () => {
  const message = order();
  await service.tell(message);
  await service.tell(message);
  expect(await service.sendDueEmails()).toBe(1);
  expect(await service.sendDueEmails()).toBe(0);
  expect(server.taken).toMatchObject([
    {
      to: 'Zoe@example.com',
      subject: 'ABC123 is your code to log in',
      message_id: `${message.id}@example.com`,
    },
  ]);
  expect(await logOf(message.id)).toMatchObject({
    status: 'sent',
    template: 'login_code',
    recipient: 'Zoe@example.com',
    data: null,
    due_at: null,
    sent_at: service.clock.now(),
  });
});

test('a mail that a server does not take now is tried again later', async () => {
  const message = order();
  await service.tell(message);
  server.failure = Object.assign(new Error('greylisted'), { responseCode: 451 });
  await service.sendDueEmails();
  expect(await logOf(message.id)).toMatchObject({ status: 'pending', failures: 1, error: 'greylisted' });
  server.failure = undefined;
  expect(await service.sendDueEmails()).toBe(0);
  service.clock.advance({ seconds: 30 });
  expect(await service.sendDueEmails()).toBe(1);
  expect(await logOf(message.id)).toMatchObject({ status: 'sent', error: null });
});

test('a mail that a server will never take is not tried again', async () => {
  const message = order();
  await service.tell(message);
  server.failure = Object.assign(new Error('no such user'), { responseCode: 550 });
  await service.sendDueEmails();
  expect(await logOf(message.id)).toMatchObject({ status: 'failed', error: 'no such user', data: null });
  service.clock.advance({ days: 1 });
  expect(await service.sendDueEmails()).toBe(0);
});

test('a mail that cannot be written has failed, and holds up no other', async () => {
  const [bad, good] = [order('welcome'), order()];
  await service.tell(bad);
  await service.tell(good);
  await service.sendDueEmails();
  expect(await logOf(bad.id)).toMatchObject({ status: 'failed', error: 'there is no template "welcome"' });
  expect(server.taken.map(({ message_id }) => message_id)).toEqual([`${good.id}@example.com`]);
});

test('a process that dies while sending has the mail sent again under the same Message-ID', async () => {
  const message = order();
  await service.tell(message);
  const { items } = await claimEmails(service.app, 10);
  expect(items).toHaveLength(1);
  expect(await service.sendDueEmails()).toBe(0);
  service.clock.advance({ minutes: 5 });
  expect(await service.sendDueEmails()).toBe(1);
  await sendEmail(service.app, items[0]!);
  expect(server.taken.map(({ message_id }) => message_id)).toEqual(
    Array(2).fill(`${message.id}@example.com`),
  );
  expect(await logOf(message.id)).toMatchObject({ status: 'sent', claim_id: null });
});

test('two processes never send the same mail', async () => {
  for (let count = 0; count < 10; count += 1) await service.tell(order());
  const claims = await Promise.all([1, 2, 3].map(() => claimEmails(service.app, 4)));
  const ids = claims.flatMap(({ items }) => items.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

test('the log of a mail is deleted after 90 days', async () => {
  const message = order();
  await service.tell(message);
  service.clock.advance({ minutes: 10 });
  await service.sendDueEmails();
  const { created_at } = await logOf(message.id);
  const after = (days: number) => new Date(created_at.getTime() + days * 86_400_000);
  await deleteOldEmails(service.app.db, after(90));
  expect(await logOf(message.id)).toBeDefined();
  await deleteOldEmails(service.app.db, after(91));
  expect(await logOf(message.id)).toBeUndefined();
});

test('without a mail server, mail lands in a folder', async () => {
  const local = await notificationsUnderTest();
  const message = order('seat_invitation', { claim_url: 'https://example.com/claim' });
  await local.tell(message);
  await local.sendDueEmails();
  expect(await readdir(local.mail)).toEqual([`${message.id}.eml`]);
  expect(await readFile(join(local.mail, `${message.id}.eml`), 'utf8')).toContain(
    'https://example.com/claim',
  );
  await local.stop();
});

import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { emailCommand, stateChanged, stateDeleted, webhookEvent } from '@tributary/proto/events/message.ts';
import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { claimEmails, sendEmail } from '../emails/send-email.flow.ts';
import { type Notifications, notificationsUnderTest } from '../testing/notifications.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';
import { sweepForgottenCustomers } from './forget-customers.flow.ts';

let service: Notifications;
let receiver: Receiver;
let organizationId: string;
let customerId: string;

beforeAll(async () => {
  service = await notificationsUnderTest();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.stop();
  await service?.stop();
});
beforeEach(async () => {
  organizationId = newId();
  customerId = newId();
  receiver.answerWith(200, 'hello zoe');
  await service.request('POST', '/v1/webhooks/endpoints', {
    as: organizationToken(organizationId),
    body: {
      url: receiver.url,
      format: 'raw',
      events: [
        'customer.created',
        'order.paid',
        'customer.deleted',
        'checkout.created',
        'customer_seat.assigned',
      ],
    },
  });
});

const state = (email: string, metadata: object = {}, deleted_at: string | null = null) =>
  stateChanged('customers', customerId, {
    id: customerId,
    organization_id: organizationId,
    email,
    deleted_at,
    modified_at: service.clock.now().toISOString(),
    metadata,
  });

const anonymize = () => {
  const digest = hash('sha256', 'zoe@example.com', 'hex');
  const at = service.clock.now().toISOString();
  return service.tell(state(`${digest}@anonymized.invalid`, { __anonymized_at: at }, at));
};

/** A mail ordered now; the order's time is what the message carries. */
const mailTo = async (to: string, organization_id = organizationId) => {
  const message = emailCommand({ organization_id, to, template: 'login_code', data: { code: 'ABC123' } });
  await service.tell(message);
  await service.sendDueEmails();
  return message.id;
};

const happen = (type: WebhookEventType, data: object) =>
  service.tell(webhookEvent(type, organizationId, data, service.clock.now()));

interface Delivery {
  webhook_event: { is_archived: boolean };
}
const deliveries = async () =>
  (
    await service.request('GET', '/v1/webhooks/deliveries?limit=100', {
      as: organizationToken(organizationId),
    })
  ).body.items;

const mailLog = async (id: string) =>
  (await service.database.db.query('select * from emails where id = $1', [id]))[0];

const mailFiles = async () => (await readdir(service.mail)).map((file) => file.replace(/\.eml$/, ''));

async function sendAll() {
  for (let rounds = 0; rounds < 5; rounds += 1) await service.sendDueWebhooks();
}

test('mails to every address that an anonymized customer or its members had are forgotten; others stay', async () => {
  await service.tell(state('Zoe@old.example'));
  await service.tell(state('zoe@example.com'));
  const memberId = newId();
  await service.tell(
    stateChanged('members', memberId, { id: memberId, customer_id: customerId, email: 'mia@example.com' }),
  );
  await service.tell(stateDeleted('members', memberId));
  const gone = [
    await mailTo('zoe@old.example'),
    await mailTo('ZOE@example.com'),
    await mailTo('mia@example.com'),
  ];
  const kept = [await mailTo('ada@example.com'), await mailTo('zoe@example.com', newId())];
  service.clock.advance({ minutes: 1 });
  await anonymize();
  for (const id of gone) {
    expect(await mailLog(id)).toMatchObject({ status: 'forgotten', recipient: null, data: null });
  }
  for (const id of kept)
    expect(await mailLog(id)).toMatchObject({ status: 'sent', recipient: expect.any(String) });
  expect((await mailFiles()).filter((file) => gone.includes(file))).toEqual([]);
  expect(await mailFiles()).toEqual(expect.arrayContaining(kept));
  const later = await mailTo('zoe@example.com');
  await anonymize();
  expect(await mailLog(later)).toMatchObject({ status: 'sent' });
});

test('what webhooks said of it, and what was answered, is gone; what was said of others, and since, stays', async () => {
  await happen('customer.created', { id: customerId, email: 'zoe@example.com' });
  await happen('order.paid', { id: newId(), customer_id: customerId, customer: { id: customerId } });
  await happen('order.paid', { id: newId(), customer_id: newId() });
  await sendAll();
  service.clock.advance({ minutes: 1 });
  await happen('customer.deleted', {
    id: customerId,
    email: 'hash@anonymized.invalid',
    metadata: { __anonymized_at: service.clock.now().toISOString() },
  });
  await anonymize();
  await sendAll();
  const [deleted, other, paid, created] = await deliveries();
  for (const { response, webhook_event } of [paid, created]) {
    expect([response, webhook_event.payload, webhook_event.is_archived]).toEqual([null, null, true]);
  }
  for (const { response, webhook_event } of [deleted, other]) {
    expect([response, webhook_event.is_archived]).toEqual(['hello zoe', false]);
  }
});

test('a mail that is being written while its reader is forgotten is not left behind', async () => {
  await service.tell(state('zoe@example.com'));
  await service.tell(
    emailCommand({
      organization_id: organizationId,
      to: 'zoe@example.com',
      template: 'login_code',
      data: { code: 'ABC123' },
    }),
  );
  const { items } = await claimEmails(service.app, 10);
  service.clock.advance({ minutes: 1 });
  await anonymize();
  for (const email of items) await sendEmail(service.app, email);
  const ids = items.map(({ id }) => id);
  expect(ids).toHaveLength(1);
  expect((await mailFiles()).filter((file) => ids.includes(file))).toEqual([]);
  expect(await mailLog(ids[0]!)).toMatchObject({ status: 'forgotten', recipient: null });
});

test('what was said of it before it had a record is found by its addresses, in its organization alone', async () => {
  await service.tell(state('zoe@example.com'));
  await happen('checkout.created', { id: newId(), customer_id: null, customer_email: 'Zoe@example.com' });
  await happen('customer_seat.assigned', { id: newId(), customer_id: null, email: 'zoe@example.com' });
  await happen('checkout.created', { id: newId(), customer_id: null, customer_email: 'ada@example.com' });
  const elsewhere = newId();
  await service.request('POST', '/v1/webhooks/endpoints', {
    as: organizationToken(elsewhere),
    body: { url: receiver.url, format: 'raw', events: ['checkout.created'] },
  });
  const data = { id: newId(), customer_id: null, customer_email: 'zoe@example.com' };
  await service.tell(webhookEvent('checkout.created', elsewhere, data, service.clock.now()));
  await sendAll();
  service.clock.advance({ minutes: 1 });
  await anonymize();
  const archived = (await deliveries()).map(({ webhook_event }: Delivery) => webhook_event.is_archived);
  expect(archived).toEqual([false, true, true]);
  const answer = await service.request('GET', '/v1/webhooks/deliveries', {
    as: organizationToken(elsewhere),
  });
  expect(answer.body.items[0].webhook_event.is_archived).toBe(false);
});

test('what is said of it later, by a service that has not heard yet, is forgotten as well', async () => {
  await anonymize();
  service.clock.advance({ seconds: 1 });
  const customer = { id: customerId, email: 'zoe@example.com', metadata: {} };
  await happen('order.paid', { id: newId(), customer_id: customerId, customer });
  await sendAll();
  await sweepForgottenCustomers(service.app, service.clock.advance({ minutes: 10 }));
  expect((await deliveries())[0].webhook_event).toMatchObject({ is_archived: true, payload: null });
});

test('what is still on its way is delivered first and forgotten at the next sweep', async () => {
  receiver.answerWith(500);
  await happen('customer.created', { id: customerId, email: 'zoe@example.com' });
  await service.sendDueWebhooks();
  service.clock.advance({ seconds: 1 });
  await anonymize();
  receiver.answerWith(200);
  service.clock.advance({ seconds: 3 });
  expect(await service.sendDueWebhooks()).toBe(1);
  expect((await deliveries())[0].webhook_event.is_archived).toBe(false);
  await sweepForgottenCustomers(service.app, service.clock.advance({ minutes: 10 }));
  expect((await deliveries())[0].webhook_event).toMatchObject({ is_archived: true, succeeded: true });
});

test('after two days not even the hashes of its addresses are left', async () => {
  await service.tell(state('zoe@example.com'));
  await anonymize();
  await sweepForgottenCustomers(service.app, service.clock.advance({ days: 2, minutes: 1 }));
  for (const table of ['customer_addresses', 'forgotten_customers']) {
    const rows = await service.database.db.query(`select 1 from ${table} where customer_id = $1`, [
      customerId,
    ]);
    expect([table, rows]).toEqual([table, []]);
  }
});

test('a mail that was set aside is forgotten, and so is any message about the customer', async () => {
  await service.tell(state('zoe@example.com'));
  const messages = [
    { topic: 'tributary.emails', key: 'zoe@example.com', value: { to: 'Zoe@example.com' } },
    {
      topic: 'tributary.webhooks',
      key: organizationId,
      value: { data: { customer: { id: customerId, name: 'Zoe' } } },
    },
    { topic: 'tributary.emails', key: 'ada@example.com', value: { to: 'ada@example.com' } },
  ];
  for (const message of messages)
    await service.database.db.query(
      `insert into parked_messages (consumer, event_id, topic, message, error) values ('queue', $1, $2, $3, $4)`,
      [newId(), message.topic, message, `cannot read ${JSON.stringify(message.value)}`],
    );
  service.clock.advance({ minutes: 1 });
  await anonymize();
  const rows = await service.database.db.query('select message::text || error as said from parked_messages');
  const said = rows.map((row: { said: string }) => row.said).join();
  expect([rows.length, /zoe/i.test(said), said.includes('ada@example.com')]).toEqual([3, false, true]);
});

test('the note that a merchant wrote into the metadata of a customer who is there means nothing', async () => {
  await service.tell(state('zoe@example.com'));
  const id = await mailTo('zoe@example.com');
  service.clock.advance({ minutes: 1 });
  await service.tell(state('zoe@example.com', { __anonymized_at: service.clock.now().toISOString() }));
  expect(await mailLog(id)).toMatchObject({ status: 'sent', recipient: 'zoe@example.com' });
});

test('a customer that was deleted without being anonymized is not forgotten', async () => {
  await service.tell(state('zoe@example.com'));
  const id = await mailTo('zoe@example.com');
  service.clock.advance({ minutes: 1 });
  await service.tell(stateDeleted('customers', customerId));
  expect(await mailLog(id)).toMatchObject({ status: 'sent', recipient: 'zoe@example.com' });
});

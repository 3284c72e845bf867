import { webhookEvent } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type Notifications, notificationsUnderTest } from '../testing/notifications.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';
import { archiveBodies } from '../webhook-events/store.ts';

const DAY_MS = 86_400_000;
const organizationId = newId();
const merchant = organizationToken(organizationId);
const stranger = organizationToken(newId());

let service: Notifications;
let receiver: Receiver;
let paid: { id: string };
let created: { id: string };
const orderId = newId();
const startedAt = new Date('2026-03-01T00:00:00Z');

beforeAll(async () => {
  service = await notificationsUnderTest();
  receiver = await startReceiver();
  service.clock.set(startedAt);
  paid = await createEndpoint('order.paid');
  created = await createEndpoint('order.created');
  const answers = [
    ['order.paid', 200, 'fine', { id: orderId, customer: { email: 'Zoe@example.com' } }],
    ['order.created', 404, 'no such path', { id: newId(), note: '100%_done' }],
    ['order.paid', 500, 'broken', { id: newId() }],
    ['order.created', 302, 'moved', { id: newId() }],
  ] as const;
  for (const [type, status, text, data] of answers) {
    receiver.answerWith(status, text);
    await service.tell(webhookEvent(type, organizationId, data, service.clock.now()));
    expect(await service.sendDueWebhooks()).toBe(1);
    await service.database.db.query('update webhook_events set due_at = null');
    service.clock.advance({ minutes: 2 });
  }
});
afterAll(async () => {
  await receiver?.stop();
  await service?.stop();
});

const createEndpoint = async (kind: string) =>
  (
    await service.request('POST', '/v1/webhooks/endpoints', {
      as: merchant,
      body: { url: receiver.url, format: 'raw', events: [kind] },
    })
  ).body;

const list = (query = '', as = merchant) => service.request('GET', `/v1/webhooks/deliveries${query}`, { as });

async function answers(query: string): Promise<string[]> {
  const { status, body } = await list(query);
  expect([query, status]).toEqual([query, 200]);
  expect(body.pagination.total_count).toBe(body.items.length);
  return body.items.map((item: { response: string }) => item.response);
}

test('lists each attempt, the newest first, with its event', async () => {
  const { body } = await list();
  expect(body.items).toHaveLength(4);
  expect(body.pagination).toEqual({ total_count: 4, max_page: 1 });
  const oldest = body.items[3];
  expect(oldest).toEqual({
    id: expect.any(String),
    created_at: startedAt.toISOString(),
    modified_at: null,
    succeeded: true,
    http_code: 200,
    response: 'fine',
    webhook_event: {
      id: expect.any(String),
      created_at: startedAt.toISOString(),
      modified_at: startedAt.toISOString(),
      last_http_code: 200,
      succeeded: true,
      skipped: false,
      payload: JSON.stringify({
        type: 'order.paid',
        timestamp: startedAt.toISOString(),
        data: { id: orderId, customer: { email: 'Zoe@example.com' } },
      }),
      type: 'order.paid',
      is_archived: false,
    },
  });
});

test('shows nothing of it to another organization', async () => {
  expect((await list('', stranger)).body.items).toEqual([]);
  expect((await list(`?query=${orderId}`, stranger)).body.items).toEqual([]);
  expect((await list(`?endpoint_id=${paid.id}`, stranger)).body.items).toEqual([]);
});

test('is filtered', async () => {
  const at = (minutes: number) => new Date(startedAt.getTime() + minutes * 60_000).toISOString();
  const cases: [query: string, expected: string[]][] = [
    ['succeeded=true', ['fine']],
    ['succeeded=false', ['moved', 'broken', 'no such path']],
    ['http_code_class=2xx', ['fine']],
    ['http_code_class=3xx', ['moved']],
    ['http_code_class=4xx', ['no such path']],
    ['http_code_class=5xx', ['broken']],
    ['event_type=order.paid', ['broken', 'fine']],
    ['event_type=order.paid&event_type=order.created', ['moved', 'broken', 'no such path', 'fine']],
    ['event_type=refund.created', []],
    [`endpoint_id=${paid.id}`, ['broken', 'fine']],
    [`endpoint_id=${paid.id}&endpoint_id=${created.id}`, ['moved', 'broken', 'no such path', 'fine']],
    [`endpoint_id=${newId()}`, []],
    [`start_timestamp=${at(2)}`, ['moved', 'broken']],
    [`end_timestamp=${at(4)}`, ['no such path', 'fine']],
    [`start_timestamp=${at(0)}&end_timestamp=${at(4)}`, ['no such path']],
    [`query=${orderId}`, ['fine']],
    ['query=zoe@EXAMPLE', ['fine']],
    ['query=order.created', ['moved', 'no such path']],
    [`query=${encodeURIComponent('100%_d')}`, ['no such path']],
    [`query=${encodeURIComponent('100_')}`, []],
    ['query=nowhere', []],
    ['succeeded=false&event_type=order.created&http_code_class=4xx', ['no such path']],
  ];
  for (const [query, expected] of cases)
    expect([query, await answers(`?${query}`)]).toEqual([query, expected]);
});

test('is searched by the id of a delivery and of its event', async () => {
  const [newest] = (await list()).body.items;
  expect(await answers(`?query=${newest.id}`)).toEqual(['moved']);
  expect(await answers(`?query=${newest.webhook_event.id.toUpperCase()}`)).toEqual(['moved']);
});

test.each([
  'page=0',
  'limit=0',
  'endpoint_id=x',
  'event_type=order.eaten',
  'succeeded=maybe',
  'http_code_class=1xx',
  'start_timestamp=yesterday',
  'start_timestamp=2026-01-01T00:00:00',
  `query=${'a'.repeat(256)}`,
  'query=%00',
])('?%s is a 422', async (query) => {
  expect((await list(`?${query}`)).status).toBe(422);
});

describe('redeliver', () => {
  const redeliver = (id: string, as = merchant) =>
    service.request('POST', `/v1/webhooks/events/${id}/redeliver`, { as });
  const eventOf = async (query: string) => (await list(query)).body.items[0].webhook_event;

  test('sends an event again that had failed, and one that had come through, under the same id', async () => {
    receiver.answerWith(204);
    for (const query of ['?http_code_class=5xx', '?http_code_class=2xx']) {
      const { id } = await eventOf(query);
      const before = receiver.received.length;
      expect((await redeliver(id)).status).toBe(202);
      await service.sendDueWebhooks();
      expect(receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])).toEqual([id]);
      service.clock.advance({ minutes: 2 });
      const [attempt] = (await list()).body.items;
      expect(attempt).toMatchObject({
        succeeded: true,
        http_code: 204,
        webhook_event: { id, succeeded: true },
      });
    }
  });

  test('of an unknown event, or of another organization, is a 404; of no id a 422', async () => {
    const { id } = await eventOf('');
    expect((await redeliver(newId())).body).toEqual({
      error: 'ResourceNotFound',
      detail: expect.any(String),
    });
    expect((await redeliver(id, stranger)).status).toBe(404);
    expect((await redeliver('x')).status).toBe(422);
    expect((await redeliver(id, organizationToken(organizationId, ['webhooks:read']))).status).toBe(403);
  });

  test('to an endpoint that is off is accepted and sends nothing', async () => {
    const { id } = await eventOf('?event_type=order.created');
    const switchTo = (enabled: boolean) =>
      service.request('PATCH', `/v1/webhooks/endpoints/${created.id}`, { as: merchant, body: { enabled } });
    await switchTo(false);
    expect((await redeliver(id)).status).toBe(202);
    expect(await service.sendDueWebhooks()).toBe(0);
    await switchTo(true);
  });

  test('of an event whose endpoint was deleted is a 404; what was delivered stays readable', async () => {
    const { id } = await eventOf(`?endpoint_id=${created.id}`);
    await service.request('DELETE', `/v1/webhooks/endpoints/${created.id}`, { as: merchant });
    expect((await redeliver(id)).status).toBe(404);
    expect((await list(`?endpoint_id=${created.id}`)).body.items).not.toEqual([]);
  });

  test('of an event older than 90 days is accepted and sends nothing: its payload is gone', async () => {
    const { id } = await eventOf(`?endpoint_id=${paid.id}`);
    await archiveBodies(service.app.db, new Date(startedAt.getTime() + 90 * DAY_MS));
    expect(await eventOf(`?endpoint_id=${paid.id}`)).toMatchObject({ is_archived: false });
    await archiveBodies(service.app.db, new Date(startedAt.getTime() + 91 * DAY_MS));
    expect(await eventOf(`?endpoint_id=${paid.id}`)).toMatchObject({ id, is_archived: true, payload: null });
    expect((await redeliver(id)).status).toBe(202);
    expect(await service.sendDueWebhooks()).toBe(0);
  });
});

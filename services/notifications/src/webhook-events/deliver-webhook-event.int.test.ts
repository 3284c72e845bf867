import { webhookEvent } from '@tributary/proto/events/message.ts';
import type { WebhookEventType } from '@tributary/proto/events/webhook-events.ts';
import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { Webhook } from 'standardwebhooks';
import { type Notifications, notificationsUnderTest } from '../testing/notifications.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';
import { claimWebhookEvents, deliverWebhookEvent } from './deliver-webhook-event.flow.ts';
import { claimDueEvents, findDispatches } from './queue-store.ts';

let service: Notifications;
let receiver: Receiver;
let organizationId: string;

beforeAll(async () => {
  service = await notificationsUnderTest();
});
afterAll(() => service?.stop());

beforeEach(async () => {
  receiver = await startReceiver();
  organizationId = newId();
});
afterEach(async () => {
  await receiver.stop();
  await service.database.db.query('update webhook_events set due_at = null');
});

const merchant = () => organizationToken(organizationId);

async function createEndpoint(overrides: object = {}) {
  const { status, body } = await service.request('POST', '/v1/webhooks/endpoints', {
    as: merchant(),
    body: { url: receiver.url, format: 'raw', events: ['order.paid', 'order.created'], ...overrides },
  });
  expect(status).toBe(201);
  return body;
}

const happen = (type: WebhookEventType = 'order.paid', data: object = { id: newId() }) =>
  service.tell(webhookEvent(type, organizationId, data, service.clock.now()));

async function deliveries(): Promise<
  { succeeded: boolean; http_code: number | null; webhook_event: { id: string } }[]
> {
  const { body } = await service.request('GET', '/v1/webhooks/deliveries?limit=100', { as: merchant() });
  return body.items;
}

const endpointNow = async (id: string) =>
  (await service.request('GET', `/v1/webhooks/endpoints/${id}`, { as: merchant() })).body;

const eventsOf = (endpointId: string): Promise<Record<string, unknown>[]> =>
  service.database.db.query('select * from webhook_events where endpoint_id = $1 order by position', [
    endpointId,
  ]);

/** Lets time pass until nothing is pending any more, in steps that no retry outlasts. */
async function sendUntilNothingIsPending() {
  for (let rounds = 0; rounds < 200; rounds += 1) {
    await service.sendDueWebhooks();
    const [{ pending }] = await service.database.db.query(
      'select count(*) as pending from webhook_events where due_at is not null',
    );
    if (pending === 0) return;
    service.clock.advance({ minutes: 21 });
  }
  throw new Error('events stay pending');
}

describe('a delivery', () => {
  test('carries the envelope, signed so that a Standard Webhooks library accepts it', async () => {
    service.clock.set(new Date());
    const endpoint = await createEndpoint();
    const data = { id: newId(), total_amount: 1000, customer: { name: 'Zoë' } };
    await happen('order.paid', data);
    expect(await service.sendDueWebhooks()).toBe(1);
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]];
    const verifier = new Webhook(Buffer.from(endpoint.secret).toString('base64'));
    expect(verifier.verify(body, headers as Record<string, string>)).toEqual({
      type: 'order.paid',
      timestamp: service.clock.now().toISOString(),
      data,
    });
    expect(headers['content-type']).toBe('application/json');
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({
      succeeded: true,
      http_code: 204,
      webhook_event: {
        id: headers['webhook-id'],
        succeeded: true,
        skipped: false,
        last_http_code: 204,
        payload: body,
        type: 'order.paid',
        is_archived: false,
      },
    });
  });

  test('goes to every endpoint that is on and asked for the kind, under an id of its own, from one stored body', async () => {
    await createEndpoint();
    await createEndpoint({ url: `${receiver.url}/second` });
    await createEndpoint({ url: `${receiver.url}/other-kind`, events: ['order.created'] });
    const off = await createEndpoint({ url: `${receiver.url}/off` });
    await service.request('PATCH', `/v1/webhooks/endpoints/${off.id}`, {
      as: merchant(),
      body: { enabled: false },
    });
    await happen();
    await service.sendDueWebhooks();
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/hook', '/hook/second']);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    const [{ bodies }] = await service.database.db.query(
      'select count(*) as bodies from webhook_bodies where organization_id = $1',
      [organizationId],
    );
    expect(bodies).toBe(1);
  });

  test('of a message that is delivered twice is queued once', async () => {
    const endpoint = await createEndpoint();
    const message = webhookEvent('order.paid', organizationId, { id: newId() }, service.clock.now());
    await service.tell(message);
    await service.tell(message);
    expect(await eventsOf(endpoint.id)).toHaveLength(1);
  });

  test('goes to no other organization', async () => {
    await createEndpoint();
    await service.tell(webhookEvent('order.paid', newId(), { id: newId() }, service.clock.now()));
    expect(await service.sendDueWebhooks()).toBe(0);
  });

  test('does not follow a redirect', async () => {
    await createEndpoint();
    receiver.answerWith(302, '', { location: `${receiver.url}/elsewhere` });
    await happen();
    await service.sendDueWebhooks();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect(await deliveries()).toMatchObject([{ succeeded: false, http_code: 302 }]);
  });

  test('that gets no answer has no code and says what went wrong', async () => {
    await createEndpoint({ url: 'http://127.0.0.1:1/' });
    await happen();
    await service.sendDueWebhooks();
    expect(await deliveries()).toMatchObject([
      { succeeded: false, http_code: null, response: expect.stringContaining('ECONNREFUSED') },
    ]);
  });
});

describe('a failed delivery', () => {
  test('is tried ten times, each wait twice the one before, always with the same id', async () => {
    const endpoint = await createEndpoint();
    receiver.answerWith(500, 'broken');
    await happen();
    const waits: number[] = [];
    for (let attempt = 1; attempt < 10; attempt += 1) {
      expect(await service.sendDueWebhooks()).toBe(1);
      const [event] = await eventsOf(endpoint.id);
      const due = event!.due_at as Date;
      waits.push((due.getTime() - service.clock.now().getTime()) / 1000);
      service.clock.set(new Date(due.getTime() - 1));
      expect(await service.sendDueWebhooks()).toBe(0);
      service.clock.set(due);
    }
    expect(waits).toEqual([3, 6, 12, 24, 48, 96, 192, 384, 768]);
    expect(await service.sendDueWebhooks()).toBe(1);
    expect(await eventsOf(endpoint.id)).toMatchObject([
      { succeeded: false, due_at: null, failures: 10, last_http_code: 500 },
    ]);
    service.clock.advance({ days: 1 });
    expect(await service.sendDueWebhooks()).toBe(0);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await deliveries()).toHaveLength(10);
  });

  test('that comes through later is a success', async () => {
    const endpoint = await createEndpoint();
    receiver.answerWith(503);
    await happen();
    await service.sendDueWebhooks();
    receiver.answerWith(200, 'thanks');
    service.clock.advance({ seconds: 4 });
    await service.sendDueWebhooks();
    expect(await eventsOf(endpoint.id)).toMatchObject([{ succeeded: true, last_http_code: 200 }]);
    expect(await deliveries()).toMatchObject([
      { succeeded: true, http_code: 200, response: 'thanks' },
      { succeeded: false, http_code: 503 },
    ]);
  });
});

describe('the order of an endpoint', () => {
  test('is kept: an event waits for the one before it', async () => {
    await createEndpoint();
    for (const number of [1, 2, 3]) await happen('order.paid', { id: newId(), number });
    for (const sent of [1, 1, 1]) expect(await service.sendDueWebhooks()).toBe(sent);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.number)).toEqual([1, 2, 3]);
  });

  test('holds an event back 300 ms for each that waits before it, and no longer than a minute', async () => {
    const endpoint = await createEndpoint();
    receiver.answerWith(500);
    await happen();
    await service.sendDueWebhooks();
    for (const number of [2, 3, 4]) await happen('order.paid', { id: newId(), number });
    expect(await service.sendDueWebhooks()).toBe(0);
    const due = (await eventsOf(endpoint.id)).map((event) => (event.due_at as Date).getTime());
    expect(due.slice(1).map((time) => time - service.clock.now().getTime())).toEqual([300, 600, 900]);
  });

  test('gives way after a minute: later events go out past one that keeps failing', async () => {
    const endpoint = await createEndpoint();
    receiver.answerWith(500);
    await happen('order.paid', { id: newId(), number: 1 });
    await service.sendDueWebhooks();
    service.clock.advance({ seconds: 1 });
    await happen('order.paid', { id: newId(), number: 2 });
    await service.database.db.query(
      'update webhook_events set due_at = $2 where endpoint_id = $1 and failures > 0',
      [endpoint.id, new Date(service.clock.now().getTime() + 600_000)],
    );
    receiver.answerWith(204);
    service.clock.advance({ seconds: 58 });
    expect(await service.sendDueWebhooks()).toBe(0);
    service.clock.advance({ seconds: 2 });
    expect(await service.sendDueWebhooks()).toBe(1);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.number)).toEqual([1, 2]);
  });

  test('does not tie endpoints to each other', async () => {
    const broken = await createEndpoint();
    await createEndpoint({ url: `${receiver.url}/sound`, events: ['order.created'] });
    receiver.answerWith(500);
    await happen('order.paid');
    await service.sendDueWebhooks();
    receiver.answerWith(204);
    await happen('order.created');
    expect(await service.sendDueWebhooks()).toBe(1);
    expect((await eventsOf(broken.id)).map((event) => event.due_at === null)).toEqual([false, false]);
  });

  test('leaves at most four requests at once to an endpoint whose backlog is old', async () => {
    await createEndpoint();
    for (let count = 0; count < 6; count += 1) await happen();
    service.clock.advance({ minutes: 2 });
    expect(await service.sendDueWebhooks()).toBe(4);
  });
});

describe('a process that dies during an attempt', () => {
  test('has it made again by another, under the same id, once its claim has run out', async () => {
    const endpoint = await createEndpoint();
    await happen();
    const { items: abandoned } = await claimWebhookEvents(service.app, 100);
    expect(abandoned).toHaveLength(1);
    service.clock.advance({ seconds: 59 });
    expect(await service.sendDueWebhooks()).toBe(0);
    service.clock.advance({ seconds: 1 });
    expect(await service.sendDueWebhooks()).toBe(1);
    const [event] = await eventsOf(endpoint.id);
    expect(event).toMatchObject({ succeeded: true, claim_id: null });
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event!.id]);
  });

  test('and comes back late cannot undo what the other recorded', async () => {
    const endpoint = await createEndpoint();
    await happen();
    const { items } = await claimWebhookEvents(service.app, 100);
    service.clock.advance({ minutes: 1 });
    await service.sendDueWebhooks();
    receiver.answerWith(500);
    await deliverWebhookEvent(service.app, items[0]!);
    expect(await eventsOf(endpoint.id)).toMatchObject([{ succeeded: true, failures: 0, due_at: null }]);
    expect(await deliveries()).toHaveLength(2);
  });

  test('that is told to stop gives its claim back and counts no attempt', async () => {
    const endpoint = await createEndpoint();
    await happen();
    const release = receiver.hold();
    const stopping = new AbortController();
    const { items } = await claimWebhookEvents(service.app, 100);
    const working = deliverWebhookEvent(service.app, items[0]!, stopping.signal);
    await receiver.arrived(1);
    stopping.abort();
    await working;
    release();
    expect(await eventsOf(endpoint.id)).toMatchObject([{ succeeded: null, failures: 0, claim_id: null }]);
    expect(await deliveries()).toEqual([]);
    expect(await service.sendDueWebhooks()).toBe(1);
  });

  test('two processes never take the same event', async () => {
    for (let count = 0; count < 10; count += 1) await createEndpoint({ url: `${receiver.url}/${count}` });
    await happen();
    const claims = await Promise.all(Array.from({ length: 4 }, () => claimWebhookEvents(service.app, 4)));
    const ids = claims.flatMap(({ items }) => items.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('an endpoint that keeps failing', () => {
  const failFor = async (count: number) => {
    receiver.answerWith(500);
    for (let done = 0; done < count; done += 1) {
      await happen();
      await sendUntilNothingIsPending();
    }
  };

  test('is switched off after ten events in a row have failed for good; what waits is skipped, the merchant is told', async () => {
    await service.tell({
      id: newId(),
      topic: 'tributary.state.organizations',
      key: organizationId,
      type: 'organizations.changed',
      subject: organizationId,
      value: { id: organizationId, name: 'Acme', slug: 'acme', email: 'owner@acme.test' },
    });
    const endpoint = await createEndpoint({ name: 'Backend' });
    await failFor(9);
    expect(await endpointNow(endpoint.id)).toMatchObject({ enabled: true });
    for (let count = 0; count < 3; count += 1) await happen();
    await service.database.db.query(
      `update webhook_events set failures = 9 where id = (
         select id from webhook_events where endpoint_id = $1 and due_at is not null order by position limit 1)`,
      [endpoint.id],
    );
    expect(await service.sendDueWebhooks()).toBe(1);
    expect(await endpointNow(endpoint.id)).toMatchObject({ enabled: false });
    const last = (await eventsOf(endpoint.id)).slice(-3);
    expect(last).toMatchObject([
      { succeeded: false, skipped: false, due_at: null },
      { succeeded: null, skipped: true, due_at: null },
      { succeeded: null, skipped: true, due_at: null },
    ]);
    expect(await service.sendDueWebhooks()).toBe(0);
    const mails = (await service.outbox()).filter(({ key }) => key === 'owner@acme.test');
    expect(mails.map(({ value }) => value)).toEqual([
      {
        organization_id: organizationId,
        to: 'owner@acme.test',
        template: 'webhook_endpoint_disabled',
        data: { organization_name: 'Acme', endpoint_name: 'Backend', endpoint_url: receiver.url },
      },
    ]);
    await happen();
    expect(await eventsOf(endpoint.id)).toHaveLength(12);
  });

  test('gets its full patience back by one success, and by being switched on again', async () => {
    const endpoint = await createEndpoint();
    await failFor(9);
    receiver.answerWith(204);
    await happen();
    await service.sendDueWebhooks();
    await failFor(9);
    expect(await endpointNow(endpoint.id)).toMatchObject({ enabled: true });
    await failFor(1);
    expect(await endpointNow(endpoint.id)).toMatchObject({ enabled: false });
    await service.request('PATCH', `/v1/webhooks/endpoints/${endpoint.id}`, {
      as: merchant(),
      body: { enabled: true },
    });
    await failFor(1);
    expect(await endpointNow(endpoint.id)).toMatchObject({ enabled: true });
  });
});

describe('an endpoint that goes away', () => {
  test('is not sent what was pending', async () => {
    const endpoint = await createEndpoint();
    await happen();
    await service.request('DELETE', `/v1/webhooks/endpoints/${endpoint.id}`, { as: merchant() });
    expect(await service.sendDueWebhooks()).toBe(0);
    expect(receiver.received).toEqual([]);
    expect(await eventsOf(endpoint.id)).toMatchObject([{ skipped: true, due_at: null }]);
  });

  test('between claim and request is sent nothing', async () => {
    const endpoint = await createEndpoint();
    await happen();
    const { ids, claimId } = await claimDueEvents(service.app.db, service.clock.now(), 100);
    await service.request('DELETE', `/v1/webhooks/endpoints/${endpoint.id}`, { as: merchant() });
    const [dispatch] = await findDispatches(service.app.db, ids, claimId);
    await deliverWebhookEvent(service.app, dispatch!);
    expect(receiver.received).toEqual([]);
    expect(await eventsOf(endpoint.id)).toMatchObject([{ skipped: true, due_at: null, claim_id: null }]);
  });

  test('during a request that fails is not tried again', async () => {
    const endpoint = await createEndpoint();
    await happen();
    const release = receiver.hold();
    receiver.answerWith(500);
    const sending = service.sendDueWebhooks();
    await receiver.arrived(1);
    await service.request('DELETE', `/v1/webhooks/endpoints/${endpoint.id}`, { as: merchant() });
    release();
    await sending;
    expect(await eventsOf(endpoint.id)).toMatchObject([
      { succeeded: null, skipped: true, due_at: null, last_http_code: 500 },
    ]);
  });
});

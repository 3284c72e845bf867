import { webhookEvent } from '@tributary/proto/events/message.ts';
import { webhookEventTypes } from '@tributary/proto/events/webhook-events.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import {
  customerSession,
  memberSession,
  nobody,
  organizationToken,
  personalToken,
} from '@tributary/runtime/testing/principals.ts';
import { isWellFormedToken } from '@tributary/runtime/token.ts';
import { type Notifications, notificationsUnderTest } from '../testing/notifications.ts';

const PATH = '/v1/webhooks/endpoints';
const INPUT = { url: 'https://example.com/hook', format: 'raw', events: ['order.paid'] };

let service: Notifications;
beforeAll(async () => {
  service = await notificationsUnderTest({ allowLoopback: false });
});
afterAll(() => service?.stop());

const organizationId = newId();
const merchant = organizationToken(organizationId);
const stranger = organizationToken(newId());

const create = async (input: object = {}, as: Principal = merchant) =>
  (await service.request('POST', PATH, { as, body: { ...INPUT, ...input } })).body;

describe('create', () => {
  test('returns the endpoint with a secret of its own', async () => {
    const { status, body } = await service.request('POST', PATH, {
      as: merchant,
      body: { ...INPUT, name: 'Backend' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      created_at: service.clock.now().toISOString(),
      modified_at: null,
      url: 'https://example.com/hook',
      name: 'Backend',
      format: 'raw',
      secret: expect.any(String),
      organization_id: organizationId,
      events: ['order.paid'],
      enabled: true,
    });
    expect(isWellFormedToken(body.secret, 'whsec_')).toBe(true);
    expect((await create()).secret).not.toBe(body.secret);
  });

  test('stores the secret sealed', async () => {
    const { id, secret } = await create();
    const [row] = await service.database.db.query('select * from webhook_endpoints where id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain(secret.slice('whsec_'.length));
    expect((await service.request('GET', `${PATH}/${id}`, { as: merchant })).body.secret).toBe(secret);
  });

  test.each(['raw', 'discord', 'slack'])('takes format %s and every kind of event', async (format) => {
    const body = await create({ format, events: [...webhookEventTypes] });
    expect(body).toMatchObject({ format, events: [...webhookEventTypes], name: null });
  });

  test('belongs to the named organization when a user creates it', async () => {
    const [one, two] = [newId(), newId()];
    const user = personalToken([one, two]);
    expect(await create({ organization_id: two }, user)).toMatchObject({ organization_id: two });
    for (const [organization_id, type] of [
      [undefined, 'missing'],
      [newId(), 'value_error'],
    ] as const) {
      const { status, body } = await service.request('POST', PATH, {
        as: user,
        body: { ...INPUT, organization_id },
      });
      expect([status, body.detail[0].loc, body.detail[0].type]).toEqual([
        422,
        ['body', 'organization_id'],
        type,
      ]);
    }
  });

  test('refuses organization_id with an organization token', async () => {
    const { status, body } = await service.request('POST', PATH, {
      as: merchant,
      body: { ...INPUT, organization_id: organizationId },
    });
    expect([status, body.detail[0].type]).toEqual([422, 'organization_token']);
  });

  test('replays its answer under an idempotency key', async () => {
    const options = { as: merchant, body: INPUT, headers: { 'idempotency-key': newId() } };
    const [first, second] = [
      await service.request('POST', PATH, options),
      await service.request('POST', PATH, options),
    ];
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
  });
});

describe('bad input', () => {
  const cases: [what: string, field: string, value: unknown, type: string][] = [
    ['no url', 'url', undefined, 'missing'],
    ['a null url', 'url', null, 'string_type'],
    ['a number as url', 'url', 5, 'string_type'],
    ['an empty url', 'url', '', 'string_too_short'],
    ['a url of 2084 characters', 'url', `https://example.com/${'a'.repeat(2_064)}`, 'string_too_long'],
    ['plain http', 'url', 'http://example.com/', 'url_scheme'],
    ['localhost', 'url', 'https://localhost/', 'value_error'],
    ['a private address', 'url', 'https://192.168.0.1/', 'value_error'],
    ['no address', 'url', 'example', 'url_parsing'],
    ['a NUL in the url', 'url', 'https://example.com/\0', 'string_nul'],
    ['no format', 'format', undefined, 'missing'],
    ['an unknown format', 'format', 'teams', 'enum'],
    ['no events', 'events', undefined, 'missing'],
    ['events that are no list', 'events', 'order.paid', 'array_type'],
    ['an unknown kind', 'events', ['order.paid', 'order.eaten'], 'enum'],
    ['too many events', 'events', Array(101).fill('order.paid'), 'too_long'],
    ['a name of 256 characters', 'name', 'a'.repeat(256), 'string_too_long'],
    ['a malformed organization', 'organization_id', 'x', 'uuid_parsing'],
  ];

  test.each(cases)('%s is refused at its place', async (_what, field, value, type) => {
    const { status, body } = await service.request('POST', PATH, {
      as: merchant,
      body: { ...INPUT, [field]: value },
    });
    expect(status).toBe(422);
    expect(body.detail[0].loc.slice(0, 2)).toEqual(['body', field]);
    expect(body.detail[0].type).toBe(type);
  });

  const updates = cases.filter(
    ([, field, value, type]) => field !== 'organization_id' && type !== 'missing' && value !== null,
  );
  test.each(updates)('%s is refused in an update too', async (_what, field, value) => {
    const { id } = await create();
    const { status, body } = await service.request('PATCH', `${PATH}/${id}`, {
      as: merchant,
      body: { [field]: value },
    });
    expect(status).toBe(422);
    expect(body.detail[0].loc.slice(0, 2)).toEqual(['body', field]);
  });

  test.each(['', '[]', '"x"', '5', 'null', '{', '{"url":'])('the body %s is a 422', async (raw) => {
    const { status } = await service.request('POST', PATH, { as: merchant, raw });
    expect(status).toBe(422);
  });

  test('a url of 2083 characters is taken', async () => {
    const url = `https://example.com/${'a'.repeat(2_063)}`;
    expect((await create({ url })).url).toBe(url);
  });

  test.each(['?page=0', '?page=-1', '?limit=0', '?page=x', '?organization_id=x'])(
    '%s is a 422',
    async (query) => {
      expect((await service.request('GET', PATH + query, { as: merchant })).status).toBe(422);
    },
  );
});

describe('list', () => {
  test('has the newest first, page by page, and only those of the caller', async () => {
    const own = newId();
    const caller = organizationToken(own);
    for (const name of ['one', 'two', 'three']) {
      await create({ name }, caller);
      service.clock.advance({ seconds: 1 });
    }
    await create({}, organizationToken(newId()));
    const names = async (query: string) => {
      const { status, body } = await service.request('GET', PATH + query, { as: caller });
      expect(status).toBe(200);
      return [body.items.map((item: { name: string }) => item.name), body.pagination];
    };
    expect(await names('')).toEqual([['three', 'two', 'one'], { total_count: 3, max_page: 1 }]);
    expect(await names('?limit=2')).toEqual([['three', 'two'], { total_count: 3, max_page: 2 }]);
    expect(await names('?limit=2&page=2')).toEqual([['one'], { total_count: 3, max_page: 2 }]);
    expect(await names('?page=9')).toEqual([[], { total_count: 3, max_page: 1 }]);
    expect(await names('?limit=1000')).toEqual([['three', 'two', 'one'], { total_count: 3, max_page: 1 }]);
  });

  test('is narrowed by organization, silently', async () => {
    const [one, two] = [newId(), newId()];
    const user = personalToken([one, two]);
    await create({ organization_id: one }, user);
    await create({ organization_id: two }, user);
    const count = async (query: string) =>
      (await service.request('GET', PATH + query, { as: user })).body.pagination.total_count;
    expect(await count('')).toBe(2);
    expect(await count(`?organization_id=${one}`)).toBe(1);
    expect(await count(`?organization_id=${one}&organization_id=${two}`)).toBe(2);
    expect(await count(`?organization_id=${newId()}`)).toBe(0);
  });
});

describe('update', () => {
  test('changes what is named and nothing else', async () => {
    const before = await create({ name: 'Backend' });
    service.clock.advance({ seconds: 1 });
    const changes = {
      url: 'https://example.org/',
      name: null,
      format: 'slack',
      events: ['refund.created'],
      enabled: false,
    };
    const { status, body } = await service.request('PATCH', `${PATH}/${before.id}`, {
      as: merchant,
      body: changes,
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...changes, modified_at: service.clock.now().toISOString() });
    expect((await service.request('GET', `${PATH}/${before.id}`, { as: merchant })).body).toEqual(body);
  });

  test('with nothing in it changes nothing', async () => {
    const before = await create();
    const { status, body } = await service.request('PATCH', `${PATH}/${before.id}`, {
      as: merchant,
      body: {},
    });
    expect([status, body]).toEqual([200, before]);
  });

  test('of the secret gives a new one', async () => {
    const before = await create();
    const { status, body } = await service.request('PATCH', `${PATH}/${before.id}/secret`, { as: merchant });
    expect(status).toBe(200);
    expect(body.secret).not.toBe(before.secret);
    expect(isWellFormedToken(body.secret, 'whsec_')).toBe(true);
    expect(body).toEqual({ ...before, secret: body.secret, modified_at: expect.any(String) });
    expect((await service.request('GET', `${PATH}/${before.id}`, { as: merchant })).body.secret).toBe(
      body.secret,
    );
  });
});

describe('delete', () => {
  test('answers 204 without a body; the endpoint is gone', async () => {
    const { id } = await create();
    const { status, body } = await service.request('DELETE', `${PATH}/${id}`, { as: merchant });
    expect([status, body]).toEqual([204, undefined]);
    for (const [method, path] of [
      ['GET', id],
      ['PATCH', id],
      ['DELETE', id],
      ['PATCH', `${id}/secret`],
    ] as const) {
      const answer = await service.request(method, `${PATH}/${path}`, {
        as: merchant,
        ...(method === 'PATCH' ? { body: {} } : {}),
      });
      expect([method, answer.status, answer.body.error]).toEqual([method, 404, 'ResourceNotFound']);
    }
    const list = await service.request('GET', `${PATH}?limit=100`, { as: merchant });
    expect(list.body.items.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  test('leaves pending events unsent and hears of no new ones', async () => {
    const own = newId();
    const { id } = await create({}, organizationToken(own));
    const happen = () => service.tell(webhookEvent('order.paid', own, { id: newId() }, service.clock.now()));
    await happen();
    await service.request('DELETE', `${PATH}/${id}`, { as: organizationToken(own) });
    await happen();
    expect(await service.sendDueWebhooks()).toBe(0);
    const events = await service.database.db.query(
      'select skipped, due_at from webhook_events where endpoint_id = $1',
      [id],
    );
    expect(events).toEqual([{ skipped: true, due_at: null }]);
  });

  test.each([
    ['a personal token', () => personalToken([organizationId]), 204],
    [
      'a token of an OpenID Connect client',
      () => ({ ...personalToken([organizationId]), scheme: 'oidc' as const, client_id: 'c' }),
      204,
    ],
    ['an organization token', () => merchant, 204],
    ['no token', () => nobody, 401],
    ['a customer session', () => customerSession(organizationId, newId()), 401],
    ['a member session', () => memberSession(organizationId, newId(), newId()), 401],
    ['a token that may only read', () => organizationToken(organizationId, ['webhooks:read']), 403],
    ['a token without a fitting scope', () => organizationToken(organizationId, ['orders:write']), 403],
    ['a token of another organization', () => stranger, 404],
    ['a user of other organizations', () => personalToken([newId()]), 404],
  ])('by %s', async (_who, as, expected) => {
    const { id } = await create();
    expect((await service.request('DELETE', `${PATH}/${id}`, { as: as() })).status).toBe(expected);
    const still = (await service.request('GET', `${PATH}/${id}`, { as: merchant })).status;
    expect(still).toBe(expected === 204 ? 404 : 200);
  });

  test('by a user whose role in the organization only reads is not permitted', async () => {
    const { id } = await create();
    const user = { ...personalToken([]), organizations: [{ id: organizationId, role: 'member' as const }] };
    const { status, body } = await service.request('DELETE', `${PATH}/${id}`, { as: user });
    expect([status, body.error]).toEqual([403, 'NotPermitted']);
  });

  test.each([
    ['an id nobody has', newId(), 404],
    ['no id', 'not-an-id', 422],
    ['an id of another version', '01900000-0000-7000-8000-000000000000', 422],
  ])('of %s', async (_what, id, expected) => {
    const { status, body } = await service.request('DELETE', `${PATH}/${id}`, { as: merchant });
    expect(status).toBe(expected);
    if (expected === 404) expect(body).toEqual({ error: 'ResourceNotFound', detail: expect.any(String) });
    else expect(body.detail[0].loc).toEqual(['path', 'id']);
  });
});

test.each([
  ['GET', ''],
  ['PATCH', ''],
  ['PATCH', '/secret'],
])("%s %s of another organization's endpoint is a 404", async (method, suffix) => {
  const { id } = await create();
  const { status, body } = await service.request(method, `${PATH}/${id}${suffix}`, {
    as: stranger,
    ...(method === 'PATCH' ? { body: { url: 'not an address' } } : {}),
  });
  expect([status, body.error]).toEqual([404, 'ResourceNotFound']);
});

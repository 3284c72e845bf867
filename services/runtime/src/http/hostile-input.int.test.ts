import { merchant } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { organizationToken } from '../testing/principals.ts';
import { type ServiceUnderTest, serviceUnderTest, TEST_SECRET } from '../testing/service.ts';
import { routeFor } from './route.ts';
import { MetadataInput, MetadataQuery } from './wire.ts';

const shared = { access: merchant('orders:write'), response: z.unknown() };
const routes = [
  routeFor<null>()({
    ...shared,
    method: 'POST',
    path: '/v1/things/',
    operation: 'things:create',
    summary: 'Give a thing back',
    body: z.object({ metadata: MetadataInput.optional(), tags: z.array(z.string()).optional() }),
    handle: async ({ body }) => body,
  }),
  routeFor<null>()({
    ...shared,
    method: 'POST',
    path: '/v1/forms',
    operation: 'forms:create',
    summary: 'Give a form back',
    form: true,
    body: z.object({ name: z.string() }),
    handle: async ({ body }) => body,
  }),
  routeFor<null>()({
    ...shared,
    method: 'GET',
    path: '/v1/things/',
    operation: 'things:list',
    summary: 'Give the filter back',
    query: z.object({ metadata: MetadataQuery }),
    handle: async ({ query }) => query.metadata ?? null,
  }),
];

let service: ServiceUnderTest;
beforeAll(async () => {
  // Without an Idempotency-Key the routes have no need of a database.
  const rest = { app: null, db: undefined as never, now: () => new Date() };
  service = await serviceUnderTest({ service: 'hostile', routes, ...rest });
});
afterAll(() => service?.stop());

const as = organizationToken(newId());
const post = (raw: string) => service.request('POST', '/v1/things/', { as, raw });

describe('the name of an object’s prototype', () => {
  test.each([
    ['{"metadata":{"__proto__":"x"}}', ['body', 'metadata', '__proto__']],
    ['{"metadata":{"a":"b","\\u005f_proto\\u005F_":"x"}}', ['body', 'metadata', '__proto__']],
    ['{"__proto__":{"metadata":{}}}', ['body', '__proto__']],
    ['{"tags":["a",{"__proto__":null}]}', ['body', 'tags', 1, '__proto__']],
  ])('is refused as a key: %s', async (raw, loc) => {
    const { status, body } = await post(raw);
    expect([status, body.detail[0].loc]).toEqual([422, loc]);
  });

  test('is refused as the name of a form’s field', async () => {
    const request = { as, form: { name: 'a', ['__proto__']: 'x' } };
    const { status, body } = await service.request('POST', '/v1/forms', request);
    expect([status, body.detail[0].loc]).toEqual([422, ['body', '__proto__']]);
  });

  test('is a value like any other', async () => {
    const sent = { metadata: { name: '__proto__' }, tags: ['__proto__'] };
    expect((await post(JSON.stringify(sent))).body).toEqual(sent);
  });

  test('names what to look for in a filter', async () => {
    const filter = '?metadata[__proto__]=x&metadata[a]=1&metadata[a]=2';
    expect((await service.request('GET', `/v1/things/${filter}`, { as })).body).toEqual([
      { key: '__proto__', values: ['x'] },
      { key: 'a', values: ['1', '2'] },
    ]);
  });
});

test('other members of every object are names like any other', async () => {
  const raw = '{"metadata":{"constructor":"a","prototype":1,"toString":true,"hasOwnProperty":2.5}}';
  expect(JSON.stringify((await post(raw)).body)).toBe(raw);
});

test.each(['?metadata=x', `?metadata[${'k'.repeat(41)}]=1`, `?${'metadata[a]=1&'.repeat(101)}`])(
  'a filter over metadata is refused: %.40s',
  async (filter) => {
    const { status, body } = await service.request('GET', `/v1/things/${filter}`, { as });
    expect([status, body.detail[0].loc.slice(0, 2)]).toEqual([422, ['query', 'metadata']]);
  },
);

describe('the work that a refusal takes is bounded', () => {
  test('metadata of too many keys is refused for that, whatever is in them', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 5_000 }, (_, number) => [`k${number}`, null]));
    const { status, body } = await post(JSON.stringify({ metadata }));
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['body', 'metadata'], type: 'too_long' }]);
  });

  test.each([
    [
      'members',
      JSON.stringify({
        metadata: Object.fromEntries(Array.from({ length: 400_000 }, (_, number) => [`k${number}`, null])),
      }),
    ],
    ['elements', `{"tags":[${'0,'.repeat(2_000_000)}0]}`],
  ])('a body of too many %s is not even parsed', async (_what, raw) => {
    const { status, body } = await post(raw);
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['body'], type: 'json_invalid' }]);
  });

  test('no more than a thousand issues are reported', async () => {
    const { status, body } = await post(JSON.stringify({ tags: Array.from({ length: 9_000 }, () => 0) }));
    expect([status, body.detail.length]).toEqual([422, 1_000]);
  });
});

test.each([{ kind: 'emperor' }, 'nobody', undefined, { kind: 'organization' }])(
  'a signed identity of an unknown form is no identity: %j',
  async (principal) => {
    const token = await new SignJWT({ principal })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('gateway')
      .setAudience('hostile')
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(TEST_SECRET));
    const headers = { 'x-tributary-principal': token };
    const { status, body } = await service.request('GET', '/v1/things/', { headers });
    expect([status, body.error]).toEqual([401, 'Unauthorized']);
  },
);

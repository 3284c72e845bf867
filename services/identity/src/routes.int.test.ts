import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { routes } from './routes.ts';
import { type IdentityUnderTest, identityUnderTest } from './testing/identity.ts';

/** What every route does with input that nobody would mean. A route added later is covered by itself. */

let identity: IdentityUnderTest;
let user: Principal;
beforeAll(async () => {
  identity = await identityUnderTest();
  user = (await identity.callerOf(identity.first.user.session_token))!;
});
afterAll(() => identity?.stop());

const names = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const withBody = names.filter(([, route]) => route.body !== undefined);
const withScheme = names.filter(([, route]) => route.access.schemes.length > 0);
const withParameter = names.filter(([, route]) => route.params !== undefined);
const targetOf = (path: string, parameter: string) => path.replaceAll(/\{\w+\}/g, parameter);

test('operation ids and addresses are unique', () => {
  expect(new Set(routes.map(({ operation }) => operation)).size).toBe(routes.length);
  expect(new Set(names.map(([name]) => name)).size).toBe(routes.length);
});

test.each(withBody)('%s takes no hostile body', async (_, route) => {
  const bodies = [
    '',
    'null',
    '[]',
    '"text"',
    '5',
    '{',
    '{"a":',
    JSON.stringify({ name: 1, slug: [], scopes: {}, comment: null, redirect_uris: 'x', client_name: 5 }),
    `${'['.repeat(100)}${']'.repeat(100)}`,
    '{"__proto__":{"name":"x"},"constructor":1}',
    'grant_type=%00&token=%FF%FE&code=%',
    `token=${'a'.repeat(100_000)}`,
  ];
  for (const raw of bodies) {
    const { status } = await identity.request(route.method, targetOf(route.path, newId()), { as: user, raw });
    expect([raw.slice(0, 30), status >= 300 && status < 500]).toEqual([raw.slice(0, 30), true]);
  }
  const invalid = await identity.request(route.method, targetOf(route.path, newId()), {
    as: user,
    raw: Buffer.from([0xff, 0xfe, 0x00]),
  });
  expect(invalid.status).toBe(422);
});

test.each(withScheme)('%s needs a token of the right kind with the right scope', async (_, route) => {
  const target = targetOf(route.path, newId());
  const body = route.body ? {} : undefined;
  expect((await identity.request(route.method, target, { body })).status).toBe(401);
  const without = { ...user, scopes: [] } as Principal;
  expect((await identity.request(route.method, target, { as: without, body })).status).toBe(403);
  const customer: Principal = {
    kind: 'customer',
    scheme: 'customer_session',
    organization_id: newId(),
    customer_id: newId(),
    scopes: [...routes.flatMap(({ access }) => access.scopes)],
    token_id: newId(),
  };
  expect((await identity.request(route.method, target, { as: customer, body })).status).toBe(401);
});

test.each(withParameter)('%s of something that is not there', async (_, route) => {
  const body = route.body ? {} : undefined;
  for (const parameter of [newId(), 'x', '%00', '..%2F', '%F0%9F%92%A9', 'x'.repeat(2000)]) {
    const { status } = await identity.request(route.method, targetOf(route.path, parameter), {
      as: user,
      body,
    });
    expect([404, 422]).toContain(status);
  }
  const broken = await identity.request(route.method, targetOf(route.path, '%zz'), { as: user, body });
  expect([400, 404, 422]).toContain(broken.status);
});

test.each(names)('%s with a hostile query', async (_, route) => {
  for (const query of [
    '?a[b]=c&a=d',
    '?page=%00',
    '?sorting=%FF',
    '?client_id=%00&state=a&state=b',
    `?x=${'y'.repeat(8000)}`,
  ]) {
    const body = route.body ? {} : undefined;
    const { status } = await identity.request(route.method, `${targetOf(route.path, newId())}${query}`, {
      as: user,
      body,
    });
    expect(status).toBeLessThan(500);
  }
});

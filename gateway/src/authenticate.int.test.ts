import { Problem, ServiceUnavailable } from '@tributary/runtime/http/problem.ts';
import { customerSession, organizationToken, personalToken } from '@tributary/runtime/testing/principals.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import { decodeJwt } from 'jose';
import { type GatewayUnderTest, gatewayUnderTest, sha256 } from './testing/gateway-under-test.ts';

const ORGANIZATION = '00000000-0000-4000-8000-000000000001';
const CUSTOMER = '00000000-0000-4000-8000-000000000002';

let gateway: GatewayUnderTest;
beforeEach(async () => {
  gateway = await gatewayUnderTest();
});
afterEach(() => gateway.stop());

const get = (path: string, authorization?: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    redirect: 'manual',
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
  });
const principalSeen = () => decodeJwt(String(gateway.seen.at(-1)!.headers['x-tributary-principal']));

test('a good token becomes an internal token for the service, and goes no further itself', async () => {
  const principal = organizationToken(ORGANIZATION);
  const token = gateway.allow(principal);
  const response = await get('/v1/things/', `Bearer ${token}`);
  expect(response.status).toBe(200);
  expect(principalSeen()).toMatchObject({ iss: 'gateway', aud: 'things', principal });
  expect(gateway.seen[0]!.headers.authorization).toBeUndefined();
});

test('the scheme is read whatever its case', async () => {
  const token = gateway.allow(organizationToken(ORGANIZATION));
  expect((await get('/v1/things/', `bEARER  ${token}`)).status).toBe(200);
});

test('identity is asked once; the internal token is signed once', async () => {
  const token = gateway.allow(organizationToken(ORGANIZATION));
  for (let request = 0; request < 5; request += 1) await get('/v1/things/', `Bearer ${token}`);
  expect(gateway.asked).toEqual([token]);
  expect(new Set(gateway.seen.map((request) => request.headers['x-tributary-principal'])).size).toBe(1);
});

test.each([
  ['no credentials', undefined],
  ['another scheme', 'Basic dXNlcjpwYXNz'],
  ['an empty header', ''],
])('%s: 401 that asks for a token', async (_fact, authorization) => {
  const response = await get('/v1/things/', authorization);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="tributary"');
  expect(await response.json()).toEqual({ error: 'Unauthorized', detail: expect.any(String) });
  expect(gateway.seen).toHaveLength(0);
});

test.each([
  ['no token', 'Bearer'],
  ['a blank token', 'Bearer  '],
  ['another form', 'Bearer hello'],
  ['a wrong checksum', `Bearer ${mintToken('trb_oat_').slice(0, -1)}!`],
  ['two tokens', `Bearer ${mintToken('trb_oat_')} ${mintToken('trb_oat_')}`],
  ['a very long token', `Bearer ${'x'.repeat(8_000)}`],
])('%s: 401 without asking identity, also where no token is needed', async (_fact, authorization) => {
  for (const path of ['/v1/things/', '/v1/open/secret']) {
    const response = await get(path, authorization);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(await response.json()).toEqual({ error: 'Unauthorized', detail: expect.any(String) });
  }
  expect(gateway.asked).toHaveLength(0);
  expect(gateway.seen).toHaveLength(0);
});

test('a token nobody knows: 401, also where no token is needed', async () => {
  const unknown = `Bearer ${mintToken('trb_pat_')}`;
  expect((await get('/v1/things/', unknown)).status).toBe(401);
  expect((await get('/v1/open/secret', unknown)).status).toBe(401);
});

test('a token of the wrong kind: 401; without the scope: 403 that names the scopes', async () => {
  const session = gateway.allow(customerSession(ORGANIZATION, CUSTOMER), mintToken('trb_cst_'));
  expect((await get('/v1/things/', `Bearer ${session}`)).status).toBe(401);
  expect((await get('/v1/customer-portal/things/', `Bearer ${session}`)).status).toBe(200);
  const poor = gateway.allow(personalToken([ORGANIZATION], ['products:read']));
  const response = await get('/v1/things/', `Bearer ${poor}`);
  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toContain('scope="orders:read orders:write"');
  expect(await response.json()).toMatchObject({ error: 'insufficient_scope' });
});

test.each(['token_id', 'token_hash'] as const)(
  'word of a revocation by %s ends a token at once',
  async (name) => {
    const principal = organizationToken(ORGANIZATION);
    const token = gateway.allow(principal);
    expect((await get('/v1/things/', `Bearer ${token}`)).status).toBe(200);
    gateway.tokens.delete(token);
    await gateway.revoke(
      name === 'token_id' ? { token_id: principal.token_id } : { token_hash: sha256(token) },
    );
    expect((await get('/v1/things/', `Bearer ${token}`)).status).toBe(401);
  },
);

describe('an operation that changes which organizations its caller reaches', () => {
  const create = (authorization: string) =>
    fetch(`${gateway.url}/v1/organizations/`, { method: 'POST', headers: { authorization }, body: '{}' });

  /** A user who has been seen with one organization and has had another since. */
  async function founder(): Promise<string> {
    const token = mintToken('trb_pat_');
    gateway.allow(personalToken([ORGANIZATION]), token);
    await get('/v1/things/', `Bearer ${token}`);
    gateway.allow(personalToken([ORGANIZATION, crypto.randomUUID()]), token);
    return `Bearer ${token}`;
  }
  const reachSeen = () =>
    (principalSeen() as { principal: { organizations: object[] } }).principal.organizations;

  test('is known to have done so with the next request', async () => {
    const authorization = await founder();
    expect((await create(authorization)).status).toBe(200);
    gateway.seen.length = 0;
    await get('/v1/things/', authorization);
    expect(reachSeen()).toHaveLength(2);
  });

  test('changes nothing when it is refused', async () => {
    const authorization = await founder();
    gateway.serve((_request, response) => response.writeHead(422).end());
    expect((await create(authorization)).status).toBe(422);
    gateway.seen.length = 0;
    await get('/v1/things/', authorization);
    expect(reachSeen()).toHaveLength(1);
  });
});

test('without identity: 503 that says when to try again', async () => {
  const token = mintToken('trb_oat_');
  gateway.tokens.set(token, new Problem(ServiceUnavailable, 'away', { 'retry-after': '1' }));
  const response = await get('/v1/things/', `Bearer ${token}`);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
});

test('anonymous requests reach the service as such, with another scheme left to it', async () => {
  await get('/v1/open/secret', 'Basic dXNlcjpwYXNz');
  expect(principalSeen()).toMatchObject({ principal: { kind: 'anonymous' } });
  expect(gateway.seen[0]!.headers.authorization).toBe('Basic dXNlcjpwYXNz');
});

test('a client registration token is left to the route, where that needs no other credentials', async () => {
  const registration = `Bearer ${mintToken('trb_crt_')}`;
  expect((await get('/v1/open/secret', registration)).status).toBe(200);
  expect(gateway.seen[0]!.headers.authorization).toBe(registration);
  expect((await get('/v1/things/', registration)).status).toBe(401);
});

test('a client cannot say who it is', async () => {
  await get('/v1/open/secret', undefined, {
    'x-tributary-principal': 'forged',
    'x-tributary-anything': 'forged',
    'x-forwarded-for': '1.2.3.4',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=1.2.3.4',
    'x-real-ip': '1.2.3.4',
  });
  const { headers } = gateway.seen[0]!;
  expect(headers).toMatchObject({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': `127.0.0.1:${gateway.port}`,
  });
  expect(headers['x-tributary-anything']).toBeUndefined();
  expect(headers.forwarded).toBeUndefined();
  expect(headers['x-real-ip']).toBeUndefined();
  expect(principalSeen()).toMatchObject({ principal: { kind: 'anonymous' } });
});

test('guessing tokens ends in a 429; tokens that were good go on', async () => {
  const good = gateway.allow(organizationToken(ORGANIZATION));
  await get('/v1/things/', `Bearer ${good}`);
  const statuses: number[] = [];
  for (let guess = 0; guess < 62; guess += 1) {
    statuses.push((await get('/v1/things/', `Bearer ${mintToken('trb_oat_')}`)).status);
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
  expect((await get('/v1/things/', `Bearer ${good}`)).status).toBe(200);
});

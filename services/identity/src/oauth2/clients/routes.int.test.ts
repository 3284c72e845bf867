import { newId } from '@tributary/proto/id.ts';
import { customerSession, personalToken } from '@tributary/runtime/testing/principals.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import { type IdentityUnderTest, identityUnderTest } from '../../testing/identity.ts';
import { requestableScopes } from '../scope.ts';

let identity: IdentityUnderTest;
beforeAll(async () => {
  identity = await identityUnderTest();
});
afterAll(() => identity?.stop());

const metadata = { client_name: 'Kiosk', redirect_uris: ['https://kiosk.example/back'] };
const register = (body: object = metadata, options: object = {}) =>
  identity.request('POST', '/v1/oauth2/register', { body, ...options });
const manage = (method: string, client: { client_id: string }, token: string, body?: object) =>
  identity.request(method, `/v1/oauth2/register/${client.client_id}`, {
    body,
    headers: { authorization: `Bearer ${token}` },
  });

describe('registration', () => {
  test('is open to everybody and answers with the secrets once', async () => {
    const { status, body } = await register();
    expect(status).toBe(201);
    expect(body).toEqual({
      client_id: expect.stringMatching(/^trb_ci_[0-9A-Za-z]{43}$/),
      client_secret: expect.stringMatching(/^trb_cs_[0-9A-Za-z]{43}$/),
      client_id_issued_at: Math.floor(identity.clock.now().getTime() / 1000),
      client_secret_expires_at: 0,
      registration_access_token: expect.stringMatching(/^trb_crt_[0-9A-Za-z]{43}$/),
      registration_client_uri: `https://pay.example.com/v1/oauth2/register/${body.client_id}`,
      redirect_uris: ['https://kiosk.example/back'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: requestableScopes.join(' '),
      client_name: 'Kiosk',
      client_uri: null,
      logo_uri: null,
      tos_uri: null,
      policy_uri: null,
      default_sub_type: 'user',
    });
    const stored = JSON.stringify(await identity.app.db.query('select * from oauth2_clients'));
    expect(stored).not.toContain(body.client_secret);
    expect(stored).not.toContain(body.registration_access_token);
  });

  test('a public client has no secret', async () => {
    const { body } = await register({ ...metadata, token_endpoint_auth_method: 'none' });
    expect(body).not.toHaveProperty('client_secret');
  });

  test.each([
    ['no name', { redirect_uris: ['https://a.example'] }],
    ['no redirect address', { client_name: 'A' }],
    ['an empty list of addresses', { client_name: 'A', redirect_uris: [] }],
    ['http elsewhere', { client_name: 'A', redirect_uris: ['http://a.example/back'] }],
    ['a fragment', { client_name: 'A', redirect_uris: ['https://a.example/#back'] }],
    ['a script', { client_name: 'A', redirect_uris: ['javascript:alert(1)'] }],
    ['a password in an address', { client_name: 'A', redirect_uris: ['https://a:b@a.example'] }],
    ['a scope nobody knows', { ...metadata, scope: 'openid everything' }],
    ['the power to make tokens', { ...metadata, scope: 'organization_access_tokens:write' }],
    ['a grant nobody has', { ...metadata, grant_types: ['password'] }],
    ['another response type', { ...metadata, response_types: ['token'] }],
    ['a script for a policy', { ...metadata, policy_uri: 'javascript:alert(1)' }],
    ['a list', []],
  ])('refuses %s', async (_, body) => {
    const { status, body: answer } = await register(body);
    expect([status, answer.detail[0].loc[0]]).toEqual([422, 'body']);
  });

  test('a customer cannot register one', async () => {
    expect((await register(metadata, { as: customerSession(newId(), newId()) })).status).toBe(401);
  });
});

describe('management', () => {
  test('by registration token: read, replace, delete', async () => {
    const { body: client } = await register({ ...metadata, client_uri: 'https://kiosk.example' });
    const token = client.registration_access_token;
    const read = await manage('GET', client, token);
    const { client_secret: _, ...readable } = client;
    expect([read.status, read.body]).toEqual([200, readable]);

    const change = { ...metadata, client_id: client.client_id, client_name: 'Stall', scope: 'openid' };
    const replaced = await manage('PUT', client, token, change);
    expect(replaced.body).toMatchObject({ client_name: 'Stall', scope: 'openid', client_uri: null });
    expect(replaced.body).not.toHaveProperty('client_secret');

    const deleted = await manage('DELETE', client, token);
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect((await manage('GET', client, token)).status).toBe(401);
  });

  test('a client that stops being public gets a secret', async () => {
    const { body: client } = await register({ ...metadata, token_endpoint_auth_method: 'none' });
    const { body } = await manage('PUT', client, client.registration_access_token, {
      ...metadata,
      client_id: client.client_id,
    });
    expect(body.client_secret).toMatch(/^trb_cs_/);
  });

  test('the id of a client cannot change', async () => {
    const { body: client } = await register();
    const change = { ...metadata, client_id: mintToken('trb_ci_') };
    const { status, body } = await manage('PUT', client, client.registration_access_token, change);
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'client_id']]);
  });

  test('by the user who registered it, and by no other', async () => {
    const owner = await identity.userOf(identity.first.personal_access_token);
    const { body: client } = await register(metadata, { as: owner });
    const path = `/v1/oauth2/register/${client.client_id}`;
    expect((await identity.request('GET', path, { as: owner })).status).toBe(200);
    expect((await identity.request('GET', path, { as: personalToken([]) })).status).toBe(404);
    const application = { ...owner, scheme: 'oidc' as const, client_id: 'trb_ci_other' };
    expect((await identity.request('DELETE', path, { as: application })).status).toBe(401);
    const reader = { ...owner, scopes: ['user:read'] };
    expect((await identity.request('DELETE', path, { as: reader })).status).toBe(404);
    expect((await identity.request('DELETE', path, { as: owner })).status).toBe(204);
  });

  test.each(['GET', 'PUT', 'DELETE'])(
    '%s without credentials, or with another client’s, is a 401',
    async (method) => {
      const [{ body: client }, { body: other }] = [await register(), await register()];
      const body = method === 'PUT' ? { ...metadata, client_id: client.client_id } : undefined;
      const path = `/v1/oauth2/register/${client.client_id}`;
      expect((await identity.request(method, path, { body })).status).toBe(401);
      expect((await manage(method, client, other.registration_access_token, body)).status).toBe(401);
      expect(
        (await manage(method, { client_id: 'nobody' }, other.registration_access_token, body)).status,
      ).toBe(401);
    },
  );
});

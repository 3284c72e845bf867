import { newId } from '@tributary/proto/id.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose';
import { gatewayFetch } from '../../testing/browser.ts';
import { type IdentityUnderTest, identityUnderTest } from '../../testing/identity.ts';
import {
  challenge,
  exchange,
  obtainCode,
  refresh,
  registerClient,
  requestToken,
  type TestClient,
  verifier,
} from '../../testing/oauth2.ts';

let identity: IdentityUnderTest;
let client: TestClient;
beforeAll(async () => {
  identity = await identityUnderTest();
  client = await registerClient(identity);
});
afterAll(() => identity?.stop());

const tokens = async (parameters = {}, choice = {}) =>
  (await exchange(identity, client, await obtainCode(identity, client, parameters, choice))).body;
const isLive = async (token: string) => (await identity.callerOf(token)) !== undefined;
const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  identity.request('POST', `/v1/oauth2/${path}`, { form, headers });

describe('a code', () => {
  test('becomes tokens of ten days', async () => {
    const { status, body, headers } = await exchange(identity, client, await obtainCode(identity, client));
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.stringMatching(/^trb_at_u_[0-9A-Za-z]{43}$/),
      refresh_token: expect.stringMatching(/^trb_rt_u_[0-9A-Za-z]{43}$/),
      id_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 864_000,
      scope: 'openid email organizations:read',
    });
    expect(await identity.callerOf(body.access_token)).toMatchObject({
      kind: 'user',
      scheme: 'oidc',
      user_id: identity.first.user.id,
      client_id: client.client_id,
      organizations: [{ id: identity.first.organization.id, role: 'owner' }],
      is_limited: false,
      scopes: ['openid', 'email', 'organizations:read'],
    });
    identity.clock.advance({ days: 10 });
    expect(await isLive(body.access_token)).toBe(false);
  });

  test('for chosen organizations gives a token limited to them', async () => {
    const { id } = identity.first.organization;
    const chosen = await tokens({ sub_type: 'organization' }, { organization_id: id });
    const expected = { is_limited: true, organizations: [{ id, role: 'owner' }] };
    expect(await identity.callerOf(chosen.access_token)).toMatchObject(expected);
    const some = await tokens({}, { access: 'some', organization_id: id });
    expect(await identity.callerOf(some.access_token)).toMatchObject(expected);
  });

  test('used twice ends what it was given the first time', async () => {
    const code = await obtainCode(identity, client);
    const first = await exchange(identity, client, code);
    const second = await exchange(identity, client, code);
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
    expect(await isLive(first.body.access_token)).toBe(false);
    expect((await refresh(identity, client, first.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await identity.outbox()).at(-1)!.topic).toBe('tributary.tokens');
  });

  test('used at the same moment by many gives tokens to one at most', async () => {
    const code = await obtainCode(identity, client);
    const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(identity, client, code)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test('is good for five minutes', async () => {
    const code = await obtainCode(identity, client);
    identity.clock.advance({ seconds: 300 });
    expect((await exchange(identity, client, code)).body.error).toBe('invalid_grant');
  });

  test('is good for its client, at its address', async () => {
    const other = await registerClient(identity);
    const code = await obtainCode(identity, client);
    expect((await exchange(identity, other, code)).body.error).toBe('invalid_grant');
    const elsewhere = { redirect_uri: 'https://app.example/elsewhere' };
    expect((await exchange(identity, client, code, elsewhere)).body.error).toBe('invalid_grant');
    const nowhere = { grant_type: 'authorization_code', code };
    expect((await requestToken(identity, client, nowhere)).body.error).toBe('invalid_grant');
    expect((await exchange(identity, client, code)).status).toBe(200);
  });

  test('asked for without an address needs none', async () => {
    const code = await obtainCode(identity, client, { redirect_uri: undefined });
    expect((await requestToken(identity, client, { grant_type: 'authorization_code', code })).status).toBe(
      200,
    );
  });

  test('asked for with a challenge needs its verifier', async () => {
    const code = await obtainCode(identity, client, challenge);
    expect((await exchange(identity, client, code)).body.error).toBe('invalid_grant');
    const wrong = { code_verifier: `${verifier}-` };
    expect((await exchange(identity, client, code, wrong)).body.error).toBe('invalid_grant');
    expect((await exchange(identity, client, code, { code_verifier: verifier })).status).toBe(200);
    const plain = await obtainCode(identity, client, { code_challenge: verifier });
    expect((await exchange(identity, client, plain, { code_verifier: verifier })).status).toBe(200);
  });

  test('asked for without a challenge takes no verifier', async () => {
    const code = await obtainCode(identity, client);
    expect((await exchange(identity, client, code, { code_verifier: verifier })).body.error).toBe(
      'invalid_grant',
    );
  });

  test('gives no refresh token to a client that did not register for one', async () => {
    const once = await registerClient(identity, { grant_types: ['authorization_code'] });
    const { body } = await exchange(identity, once, await obtainCode(identity, once));
    expect(body).not.toHaveProperty('refresh_token');
    expect((await refresh(identity, once, mintToken('trb_rt_u_'))).body.error).toBe('unauthorized_client');
  });

  test('without openid gives no id token', async () => {
    expect(await tokens({ scope: 'orders:read' })).not.toHaveProperty('id_token');
  });
});

describe('a refresh token', () => {
  test('is exchanged for a new pair of one hour', async () => {
    const first = await tokens();
    const { status, body } = await refresh(identity, client, first.refresh_token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ expires_in: 3600, scope: first.scope, token_type: 'Bearer' });
    expect(body.refresh_token).not.toBe(first.refresh_token);
    expect(body.access_token).not.toBe(first.access_token);
    expect(await isLive(body.access_token)).toBe(true);
    expect((await refresh(identity, client, body.refresh_token)).status).toBe(200);
  });

  test('sent twice at once gives the same pair twice, and the client stays connected', async () => {
    const first = await tokens();
    const answers = await Promise.all([1, 2, 3].map(() => refresh(identity, client, first.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const pairs = new Set(answers.map(({ body }) => `${body.access_token} ${body.refresh_token}`));
    expect(pairs.size).toBe(1);
    identity.clock.advance({ seconds: 9 });
    const late = await refresh(identity, client, first.refresh_token);
    expect(late.body).toMatchObject({ refresh_token: answers[0]!.body.refresh_token, expires_in: 3591 });
    expect((await refresh(identity, client, late.body.refresh_token)).status).toBe(200);
  });

  test('sent again later ends everything that descends from the consent', async () => {
    const first = await tokens();
    const { body: second } = await refresh(identity, client, first.refresh_token);
    identity.clock.advance({ seconds: 11 });
    const { status, body } = await refresh(identity, client, first.refresh_token);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    for (const token of [first.access_token, second.access_token]) expect(await isLive(token)).toBe(false);
    expect((await refresh(identity, client, second.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('sent again after its successor was used is a theft, however soon', async () => {
    const first = await tokens();
    const { body: second } = await refresh(identity, client, first.refresh_token);
    const { body: third } = await refresh(identity, client, second.refresh_token);
    expect((await refresh(identity, client, first.refresh_token)).body.error).toBe('invalid_grant');
    expect(await isLive(third.access_token)).toBe(false);
  });

  test('is stored as a hash, its successor sealed with the token itself', async () => {
    const first = await tokens();
    const { body: second } = await refresh(identity, client, first.refresh_token);
    const stored = JSON.stringify(
      await identity.app.db.query('select * from oauth2_refresh_tokens, oauth2_access_tokens'),
    );
    for (const secret of [first.refresh_token, second.refresh_token, second.access_token]) {
      expect(stored).not.toContain(secret);
    }
  });

  test('may be used for less, not for more', async () => {
    const { refresh_token } = await tokens();
    const more = await refresh(identity, client, refresh_token, { scope: 'openid orders:write' });
    expect([more.status, more.body.error]).toEqual([400, 'invalid_scope']);
    const less = await refresh(identity, client, refresh_token, { scope: 'openid' });
    expect(less.body.scope).toBe('openid');
    const again = await refresh(identity, client, less.body.refresh_token);
    expect(again.body.scope).toBe('openid email organizations:read');
  });

  test('of another client is unknown', async () => {
    const other = await registerClient(identity);
    const { refresh_token } = await tokens();
    expect((await refresh(identity, other, refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(identity, client, refresh_token)).status).toBe(200);
  });
});

describe('the client', () => {
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  });

  test('may show its secret in a Basic header', async () => {
    const code = await obtainCode(identity, client);
    const form = { grant_type: 'authorization_code', code, redirect_uri: client.redirect_uri };
    const { status } = await post('token', form, basic(client.client_id, client.client_secret));
    expect(status).toBe(200);
  });

  test('without a secret proves itself by its challenge', async () => {
    const open = await registerClient(identity, { token_endpoint_auth_method: 'none' });
    const code = await obtainCode(identity, open, challenge);
    const { status, body } = await exchange(identity, open, code, { code_verifier: verifier });
    expect(status).toBe(200);
    expect((await refresh(identity, open, body.refresh_token)).status).toBe(200);
  });

  test.each<[string, () => Record<string, string>, () => Record<string, string>]>([
    ['nobody', () => ({}), () => ({})],
    ['an unknown id', () => ({ client_id: 'nobody', client_secret: 'x' }), () => ({})],
    [
      'a wrong secret',
      () => ({ client_id: client.client_id, client_secret: mintToken('trb_cs_') }),
      () => ({}),
    ],
    ['no secret', () => ({ client_id: client.client_id }), () => ({})],
    [
      'a very long secret',
      () => ({ client_id: client.client_id, client_secret: 'x'.repeat(5000) }),
      () => ({}),
    ],
    ['a wrong Basic secret', () => ({}), () => basic(client.client_id, 'wrong')],
    ['a Basic header of nothing', () => ({}), () => ({ authorization: 'Basic Og==' })],
    [
      'a broken Basic header',
      () => ({}),
      () => ({ authorization: `Basic ${Buffer.from('%zz:%00').toString('base64')}` }),
    ],
    [
      'two different ids',
      () => ({ client_id: 'other' }),
      () => basic(client.client_id, client.client_secret),
    ],
  ])('%s is an unknown client', async (_, form, headers) => {
    for (const [path, rest] of [
      ['token', { grant_type: 'refresh_token', refresh_token: 'x' }],
      ['revoke', { token: 'x' }],
      ['introspect', { token: 'x' }],
    ] as const) {
      const { status, body, headers: answered } = await post(path, { ...rest, ...form() }, headers());
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      expect(answered.get('www-authenticate')).toBe('Basic realm="tributary"');
    }
  });

  test('shows its secret in one way only', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_secret: client.client_secret };
    const { status, body } = await post('token', form, basic(client.client_id, client.client_secret));
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('the token endpoint', () => {
  test.each([
    ['no grant type', {}, 'invalid_request'],
    ['an unknown grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a grant named like a property', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['no code', { grant_type: 'authorization_code' }, 'invalid_request'],
    ['an unknown code', { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }, 'invalid_grant'],
    ['no refresh token', { grant_type: 'refresh_token' }, 'invalid_request'],
    ['an unknown refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
    ['a session grant', { grant_type: 'web', session_token: 'x' }, 'unauthorized_client'],
  ])('%s: %3$s', async (_, form, error) => {
    const { status, body } = await requestToken(identity, client, form as Record<string, string>);
    expect([status, body]).toEqual([400, { error, error_description: expect.any(String) }]);
  });

  test.each([
    ['nothing', ''],
    ['a parameter twice', 'grant_type=refresh_token&grant_type=web'],
    ['a NUL', 'grant_type=refresh_token&refresh_token=%00'],
    ['JSON', '{"grant_type":"web"}'],
    ['half a sign', 'grant_type=%E0%A4'],
  ])('%s is refused in the words of OAuth', async (_, raw) => {
    const { status, body } = await identity.request('POST', '/v1/oauth2/token', { raw });
    expect([status, Object.keys(body)]).toEqual([400, ['error', 'error_description']]);
  });
});

describe('our own application', () => {
  const web = (form: Record<string, string>) =>
    requestToken(identity, identity.first.oauth_client, {
      grant_type: 'web',
      session_token: identity.first.user.session_token,
      ...form,
    });

  test('turns a browser session into a token of one hour, without a refresh token', async () => {
    identity.clock.set('2026-01-15T12:00:00Z');
    const { status, body } = await web({ scope: 'orders:read organization_access_tokens:write' });
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^trb_at_u_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'orders:read organization_access_tokens:write',
    });
    expect(await identity.callerOf(body.access_token)).toMatchObject({ user_id: identity.first.user.id });
  });

  test('may limit it to one organization', async () => {
    const { id } = identity.first.organization;
    const { body } = await web({ sub_type: 'organization', sub: id, scope: 'orders:read' });
    expect(await identity.callerOf(body.access_token)).toMatchObject({
      is_limited: true,
      organizations: [{ id }],
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['another organization', { sub_type: 'organization', sub: newId() }, 'invalid_grant'],
    ['a malformed organization', { sub_type: 'organization', sub: 'x' }, 'invalid_grant'],
    ['no organization', { sub_type: 'organization' }, 'invalid_request'],
    ['another user', { sub: newId() }, 'invalid_grant'],
    ['another kind of subject', { sub_type: 'robot' }, 'invalid_request'],
    ['an unknown session', { session_token: mintToken('trb_us_') }, 'invalid_grant'],
    ['an unknown scope', { scope: 'all' }, 'invalid_scope'],
  ])('not for %s', async (_, form, error) => {
    const { status, body } = await web(form);
    expect([status, body.error]).toEqual([400, error]);
  });
});

describe('introspection', () => {
  const introspect = (token: string, by = client, more: Record<string, string> = {}) =>
    post('introspect', { token, client_id: by.client_id, client_secret: by.client_secret, ...more });

  test('tells a client of its own tokens', async () => {
    const { access_token, refresh_token } = await tokens();
    const now = Math.floor(identity.clock.now().getTime() / 1000);
    const common = {
      active: true,
      client_id: client.client_id,
      scope: 'openid email organizations:read',
      sub_type: 'user',
      sub: identity.first.user.id,
      organizations: [identity.first.organization.id],
      aud: client.client_id,
      iss: 'https://pay.example.com',
      iat: now,
    };
    expect((await introspect(access_token)).body).toEqual({
      ...common,
      token_type: 'access_token',
      exp: now + 864_000,
    });
    expect((await introspect(refresh_token)).body).toEqual({ ...common, token_type: 'refresh_token' });
  });

  test('tells nothing of others', async () => {
    const other = await registerClient(identity);
    const { access_token } = await tokens();
    for (const [token, by] of [
      [access_token, other],
      ['nothing', client],
      [identity.first.personal_access_token, client],
    ] as const) {
      expect((await introspect(token, by)).body).toEqual({ active: false });
    }
  });

  test('needs a token', async () => {
    const { client_id, client_secret } = client;
    expect((await post('introspect', { client_id, client_secret })).body.error).toBe('invalid_request');
  });
});

describe('revocation', () => {
  const revoke = (token: string, hint?: string, by = client) =>
    post('revoke', {
      token,
      client_id: by.client_id,
      client_secret: by.client_secret,
      ...(hint ? { token_type_hint: hint } : {}),
    });

  test('of an access token alone leaves the refresh token', async () => {
    const given = await tokens();
    const { status, body } = await revoke(given.access_token, 'access_token');
    expect([status, body]).toEqual([200, {}]);
    expect(await isLive(given.access_token)).toBe(false);
    expect((await refresh(identity, client, given.refresh_token)).status).toBe(200);
  });

  test.each([
    ['an access token without a hint', 'access_token', undefined],
    ['a refresh token', 'refresh_token', 'refresh_token'],
    ['a refresh token taken for another', 'refresh_token', 'access_token'],
  ] as const)('of %s ends both', async (_, which, hint) => {
    const given = await tokens();
    await revoke(given[which], hint);
    expect(await isLive(given.access_token)).toBe(false);
    expect((await refresh(identity, client, given.refresh_token)).body.error).toBe('invalid_grant');
    const told = (await identity.outbox()).at(-1)!;
    expect(told).toMatchObject({ topic: 'tributary.tokens', type: 'token.revoked' });
  });

  test('of a token that is not the client’s changes nothing and says nothing', async () => {
    const other = await registerClient(identity);
    const { access_token } = await tokens();
    expect((await revoke(access_token, undefined, other)).body).toEqual({});
    expect((await revoke('nothing')).status).toBe(200);
    expect(await isLive(access_token)).toBe(true);
  });

  test('deleting a client ends its tokens', async () => {
    const brief = await identity.request('POST', '/v1/oauth2/register', {
      body: { client_name: 'Brief', redirect_uris: [client.redirect_uri] },
    });
    const code = await obtainCode(identity, { ...client, ...brief.body });
    const { body } = await exchange(identity, { ...client, ...brief.body }, code);
    await identity.request('DELETE', `/v1/oauth2/register/${brief.body.client_id}`, {
      headers: { authorization: `Bearer ${brief.body.registration_access_token}` },
    });
    expect(await isLive(body.access_token)).toBe(false);
    expect((await identity.outbox()).at(-1)!.topic).toBe('tributary.tokens');
  });
});

describe('the id token', () => {
  const keys = () =>
    createRemoteJWKSet(new URL('https://pay.example.com/.well-known/jwks.json'), {
      [customFetch]: gatewayFetch(identity),
      cacheMaxAge: 0,
    });
  const verify = (token: string) =>
    jwtVerify(token, keys(), {
      issuer: 'https://pay.example.com',
      audience: client.client_id,
      currentDate: identity.clock.now(),
    });

  test('says who logged in when, for one hour', async () => {
    const { id_token, access_token } = await tokens({ nonce: 'a nonce' });
    const { payload, protectedHeader } = await verify(id_token);
    const now = Math.floor(identity.clock.now().getTime() / 1000);
    const { hash } = await import('node:crypto');
    const half = hash('sha256', access_token, 'buffer').subarray(0, 16);
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: 'https://pay.example.com',
      aud: client.client_id,
      sub: identity.first.user.id,
      iat: now,
      exp: now + 3600,
      auth_time: expect.any(Number),
      nonce: 'a nonce',
      at_hash: half.toString('base64url'),
      email: 'owner@example.com',
      email_verified: true,
    });
  });

  test('keeps the address to itself without the scope', async () => {
    const { id_token } = await tokens({ scope: 'openid' });
    expect((await verify(id_token)).payload).not.toHaveProperty('email');
  });

  test('is signed by the next key after a while, and the former one stays good', async () => {
    const { rotateKeys, readKeys } = await import('../../signing-keys/store.ts');
    const { app, clock } = identity;
    const rotate = () => rotateKeys(app.db, app.tokenSecret, clock.now());
    const kidOf = async () => decodeProtectedHeader((await tokens()).id_token).kid;
    const first = await kidOf();
    await rotate();
    expect(await readKeys(app.db)).toHaveLength(1);
    // The browser session of these tests lasts 31 days.
    await app.db.query(`update signing_keys set created_at = created_at - interval '90 days'`);
    await rotate();
    await rotate();
    expect(await readKeys(app.db)).toHaveLength(2);
    expect(await kidOf()).toBe(first);
    clock.advance({ days: 1, minutes: 1 });
    const second = await tokens();
    expect(decodeProtectedHeader(second.id_token).kid).not.toBe(first);
    await verify(second.id_token);
    await rotate();
    expect(await readKeys(app.db)).toHaveLength(2);
    clock.advance({ days: 1 });
    await rotate();
    expect((await readKeys(app.db)).map((key) => key.kid)).not.toContain(first);
  });

  test('private keys are sealed', async () => {
    const [key] = await identity.app.db.query('select * from signing_keys');
    expect(JSON.stringify(key)).not.toContain('PRIVATE KEY');
    expect(key.public_jwk).not.toHaveProperty('d');
  });
});

describe('user info', () => {
  test.each(['GET', 'POST'])('by %s, as far as the scopes go', async (method) => {
    const all = await identity.callerOf((await tokens()).access_token);
    expect((await identity.request(method, '/v1/oauth2/userinfo', { as: all })).body).toEqual({
      sub: identity.first.user.id,
      email: 'owner@example.com',
      email_verified: true,
    });
    const some = await identity.callerOf((await tokens({ scope: 'openid' })).access_token);
    const { body } = await identity.request(method, '/v1/oauth2/userinfo', { as: some });
    expect(body).toEqual({ sub: identity.first.user.id });
  });

  test('needs openid, and no personal token', async () => {
    const without = await identity.callerOf((await tokens({ scope: 'orders:read' })).access_token);
    expect((await identity.request('GET', '/v1/oauth2/userinfo', { as: without })).status).toBe(403);
    const personal = await identity.callerOf(identity.first.personal_access_token);
    expect((await identity.request('GET', '/v1/oauth2/userinfo', { as: personal })).status).toBe(401);
    expect((await identity.request('GET', '/v1/oauth2/userinfo')).status).toBe(401);
  });
});

test('what nobody needs any more is forgotten', async () => {
  const { forgetOldAuthorizations } = await import('../authorizations/store.ts');
  const { db } = identity.app;
  identity.clock.set('2026-01-15T12:00:00Z');
  await obtainCode(identity, client);
  const given = await tokens();
  await refresh(identity, client, given.refresh_token);
  identity.clock.advance({ days: 31 });
  while (await forgetOldAuthorizations(db, identity.clock.now()));
  const [counts] = await db.query(
    `select (select count(*) from oauth2_authorizations where code_used_at is null and code_hash is not null) as codes,
            (select count(*) from oauth2_access_tokens where expires_at < $1) as expired,
            (select count(*) from oauth2_refresh_tokens where rotated_at is not null and rotated_at < $1::timestamptz - interval '30 days') as rotated`,
    [identity.clock.now()],
  );
  expect(counts).toEqual({ codes: 0, expired: 0, rotated: 0 });
});

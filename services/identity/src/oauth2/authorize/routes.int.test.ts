import { newId } from '@tributary/proto/id.ts';
import { customerSession, organizationToken } from '@tributary/runtime/testing/principals.ts';
import { loggedIn, newBrowser } from '../../testing/browser.ts';
import { type IdentityUnderTest, identityUnderTest } from '../../testing/identity.ts';
import { answerOf, authorizeUrl, challenge, registerClient, type TestClient } from '../../testing/oauth2.ts';
import { scopeDisplayNames } from '../scope.ts';

let identity: IdentityUnderTest;
let client: TestClient;
beforeAll(async () => {
  identity = await identityUnderTest();
  client = await registerClient(identity);
});
afterAll(() => identity?.stop());

const organization = () => ({
  id: identity.first.organization.id,
  slug: identity.first.organization.slug,
  avatar_url: null,
});

describe('with a bearer token', () => {
  const ask = async (parameters = {}, token = identity.first.personal_access_token) =>
    identity.request('GET', authorizeUrl(client, parameters), { as: await identity.callerOf(token) });

  test('describes what a user is asked', async () => {
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toEqual({
      client: {
        created_at: expect.any(String),
        modified_at: null,
        client_id: client.client_id,
        client_name: 'App',
        client_uri: null,
        logo_uri: null,
        tos_uri: null,
        policy_uri: null,
      },
      sub_type: 'user',
      sub: {
        id: identity.first.user.id,
        email: 'owner@example.com',
        avatar_url: expect.stringContaining('https://'),
      },
      scopes: ['openid', 'email', 'organizations:read'],
      organizations: [organization()],
      requires_single_organization: false,
      scope_display_names: scopeDisplayNames,
    });
  });

  test('describes what is asked of an organization', async () => {
    const { body } = await ask({ sub_type: 'organization' });
    expect(body).toMatchObject({ sub_type: 'organization', sub: null, requires_single_organization: true });
    const chosen = await ask({ sub_type: 'organization', sub: organization().id });
    expect(chosen.body.sub).toEqual(organization());
    const foreign = await ask({ sub_type: 'organization', sub: newId() });
    expect(foreign.body.sub).toBeNull();
  });

  test('a browser session will do as a bearer token', async () => {
    expect((await ask({}, identity.first.user.session_token)).status).toBe(200);
  });

  test('a limited token sees the organizations it is limited to', async () => {
    const user = await identity.userOf(identity.first.personal_access_token);
    const as = { ...user, is_limited: true, organizations: [] };
    const { body } = await identity.request('GET', authorizeUrl(client), { as });
    expect(body.organizations).toEqual([]);
  });

  test('without a scope parameter all of the client’s scopes are asked for', async () => {
    const { body } = await ask({ scope: undefined });
    expect(body.scopes.length).toBeGreaterThan(50);
  });

  test('without a redirect address the client’s only one is taken', async () => {
    expect((await ask({ redirect_uri: undefined })).status).toBe(200);
  });

  test('asked silently, it says whether there is consent', async () => {
    const { status, headers } = await ask({ prompt: 'none' });
    expect(status).toBe(302);
    expect(answerOf(headers.get('location')!).error).toBe('consent_required');
  });

  test.each([
    ['no client', { client_id: undefined }, 'invalid_request'],
    ['an unknown client', { client_id: 'trb_ci_nobody' }, 'invalid_client'],
    ['an address nobody registered', { redirect_uri: 'https://evil.example/' }, 'invalid_request'],
  ])('%s is answered here and never redirected', async (_, parameters, error) => {
    const { status, body, headers } = await ask(parameters);
    expect([status, body.error, headers.get('location')]).toEqual([400, error, null]);
  });

  test.each([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['a scope nobody knows', { scope: 'openid all' }, 'invalid_scope'],
    ['no scope', { scope: ' ' }, 'invalid_scope'],
    ['a scope for our own', { scope: 'organization_access_tokens:write' }, 'invalid_scope'],
    ['an unknown prompt', { prompt: 'select_account' }, 'invalid_request'],
    ['none with another prompt', { prompt: 'none login' }, 'invalid_request'],
    ['another kind of subject', { sub_type: 'robot' }, 'invalid_request'],
    ['an unknown challenge method', { ...challenge, code_challenge_method: 'S512' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['another response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
    ['a request address', { request_uri: 'https://app.example/request' }, 'request_uri_not_supported'],
    ['an age that is no number', { max_age: '-1' }, 'invalid_request'],
  ])('%s is told to the client', async (_, parameters, error) => {
    const { status, headers } = await ask(parameters);
    expect(status).toBe(302);
    const location = headers.get('location')!;
    expect(location.startsWith(client.redirect_uri)).toBe(true);
    expect(answerOf(location)).toMatchObject({ error, state: 'a state', iss: 'https://pay.example.com' });
  });

  test('a public client must send a challenge', async () => {
    const open = await registerClient(identity, { token_endpoint_auth_method: 'none' });
    const as = await identity.callerOf(identity.first.personal_access_token);
    const without = await identity.request('GET', authorizeUrl(open), { as });
    expect(answerOf(without.headers.get('location')!).error).toBe('invalid_request');
    expect((await identity.request('GET', authorizeUrl(open, challenge), { as })).status).toBe(200);
  });

  test('a client with several addresses must name one', async () => {
    const many = await registerClient(identity, {
      redirect_uris: ['https://app.example/back', 'https://app.example/other'],
    });
    const as = await identity.callerOf(identity.first.personal_access_token);
    const { status, body } = await identity.request('GET', authorizeUrl(many, { redirect_uri: undefined }), {
      as,
    });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  test.each([
    ['nobody', undefined],
    ['an organization token', organizationToken(newId())],
    ['a customer', customerSession(newId(), newId())],
  ])('%s is refused', async (_, as) => {
    const { status, body } = await identity.request('GET', authorizeUrl(client), { as });
    expect([status, body.error]).toEqual([401, 'Unauthorized']);
  });

  test('a parameter given twice or too long is a 422', async () => {
    const as = await identity.callerOf(identity.first.personal_access_token);
    const twice = await identity.request('GET', `${authorizeUrl(client)}&state=b`, { as });
    expect(twice.status).toBe(422);
    expect((await ask({ state: 'x'.repeat(5000) })).status).toBe(422);
  });
});

describe('in a browser', () => {
  test('who is not logged in comes to the login page and back', async () => {
    const { status, location } = await newBrowser(identity).open(
      authorizeUrl(client, { login_hint: 'a@example.com' }),
    );
    expect(status).toBe(302);
    const login = new URL(location!, 'https://pay.example.com');
    expect(login.pathname).toBe('/v1/oauth2/login');
    expect(login.searchParams.get('login_hint')).toBe('a@example.com');
    expect(login.searchParams.get('return_to')).toContain(`client_id=${client.client_id}`);
  });

  test('is shown who asks for what, and is asked for nothing by script', async () => {
    const page = await loggedIn(identity).open(authorizeUrl(client));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const text of [
      'App asks for access',
      'owner@example.com',
      'Read your organizations',
      'first-organization',
    ]) {
      expect(page.body).toContain(text);
    }
    expect(page.body).not.toContain('<script');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' https://app.example;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  test('the style of the page is the one its policy allows', async () => {
    const page = await loggedIn(identity).open(authorizeUrl(client));
    const style = /<style>([\s\S]*?)<\/style>/.exec(page.body)![1]!;
    const { hash } = await import('node:crypto');
    expect(page.headers.get('content-security-policy')).toContain(
      `'sha256-${hash('sha256', style, 'base64')}'`,
    );
  });

  test('names cannot become markup', async () => {
    const evil = await registerClient(identity, {
      client_name: '<img src=x onerror=alert(1)>"\'',
      client_uri: 'https://app.example/?"><script>',
    });
    const page = await loggedIn(identity).open(authorizeUrl(evil, { state: '"><script>alert(1)</script>' }));
    expect(page.body).not.toContain('<img');
    expect(page.body).not.toContain('<script');
  });

  test('allows, and is not asked again for the same', async () => {
    const asking = await registerClient(identity);
    const browser = loggedIn(identity);
    const page = await browser.open(authorizeUrl(asking));
    const answer = await browser.submit(page, '/v1/oauth2/consent', { decision: 'allow' });
    expect(answer.status).toBe(303);
    expect(answerOf(answer.location)).toEqual({
      code: expect.stringMatching(/^trb_ac_[0-9A-Za-z]{43}$/),
      state: 'a state',
      iss: 'https://pay.example.com',
    });
    const again = await browser.open(authorizeUrl(asking, { scope: 'openid' }));
    expect([again.status, Object.keys(answerOf(again.location))]).toEqual([302, ['code', 'state', 'iss']]);
    const silent = await browser.open(authorizeUrl(asking, { prompt: 'none' }));
    expect(answerOf(silent.location)).toHaveProperty('code');
    const more = await browser.open(authorizeUrl(asking, { scope: 'openid orders:read' }));
    expect(more.status).toBe(200);
    expect((await browser.open(authorizeUrl(asking, { prompt: 'consent' }))).status).toBe(200);
    const moreSilently = await browser.open(authorizeUrl(asking, { scope: 'orders:read', prompt: 'none' }));
    expect(answerOf(moreSilently.location).error).toBe('consent_required');
  });

  test('denies', async () => {
    const browser = loggedIn(identity);
    const page = await browser.open(authorizeUrl(client));
    const { status, location } = await browser.submit(page, '/v1/oauth2/consent', { decision: 'deny' });
    expect(status).toBe(303);
    expect(answerOf(location)).toMatchObject({ error: 'access_denied', state: 'a state' });
  });

  test('must choose one organization when one is asked for', async () => {
    const browser = loggedIn(identity);
    const page = await browser.open(authorizeUrl(client, { sub_type: 'organization' }));
    const nothing = await browser.submit(page, '/v1/oauth2/consent', { decision: 'allow' });
    expect([nothing.status, nothing.body]).toEqual([
      422,
      expect.stringContaining('Choose one organization.'),
    ]);
    const foreign = await browser.submit(page, '/v1/oauth2/consent', {
      decision: 'allow',
      organization_id: newId(),
    });
    expect(foreign.status).toBe(422);
    const one = { decision: 'allow', organization_id: organization().id };
    expect(answerOf((await browser.submit(page, '/v1/oauth2/consent', one)).location)).toHaveProperty('code');
    const again = await browser.open(authorizeUrl(client, { sub_type: 'organization' }));
    expect(answerOf(again.location)).toHaveProperty('code');
  });

  test('may choose some organizations, but not none of them', async () => {
    const browser = loggedIn(identity);
    const page = await browser.open(authorizeUrl(client, { prompt: 'consent' }));
    const none = await browser.submit(page, '/v1/oauth2/consent', { decision: 'allow', access: 'some' });
    expect([none.status, none.body]).toEqual([422, expect.stringContaining('Choose some organizations.')]);
    const some = { decision: 'allow', access: 'some', organization_id: [organization().id] };
    expect(answerOf((await browser.submit(page, '/v1/oauth2/consent', some)).location)).toHaveProperty(
      'code',
    );
  });

  test('silently without a login the client is told so', async () => {
    const { location } = await newBrowser(identity).open(authorizeUrl(client, { prompt: 'none' }));
    expect(answerOf(location).error).toBe('login_required');
  });

  test('logs in again when the client wants that, or when the login is too old', async () => {
    const browser = loggedIn(identity);
    const again = await browser.open(authorizeUrl(client, { prompt: 'login' }));
    expect(again.location).toMatch(/^\/v1\/oauth2\/login/);
    expect(decodeURIComponent(again.location!)).not.toContain('prompt');
    identity.clock.advance({ seconds: 61 });
    expect((await browser.open(authorizeUrl(client, { max_age: '60' }))).location).toMatch(
      /^\/v1\/oauth2\/login/,
    );
    expect((await browser.open(authorizeUrl(client, { max_age: '60000', prompt: 'consent' }))).status).toBe(
      200,
    );
  });

  test('a link that cannot be right shows a page and leads nowhere', async () => {
    const { status, body, location } = await loggedIn(identity).open(
      authorizeUrl(client, { redirect_uri: 'https://evil.example' }),
    );
    expect([status, location]).toEqual([400, undefined]);
    expect(body).toContain('did not register this redirect_uri');
  });

  test('a session by cookie may have the description as JSON', async () => {
    const { status, body } = await identity.request('GET', authorizeUrl(client), {
      headers: {
        cookie: `tributary_session=${identity.first.user.session_token}`,
        accept: 'application/json',
      },
    });
    expect([status, body.sub.id]).toEqual([200, identity.first.user.id]);
  });
});

describe('the answer to the consent page', () => {
  const post = (form: Record<string, string>, options: object = {}) =>
    identity.request('POST', '/v1/oauth2/consent', { form, ...options });
  const cookie = () => ({ cookie: `tributary_session=${identity.first.user.session_token}` });
  const request = (parameters = {}) => authorizeUrl(client, parameters).split('?')[1]!;

  test('from another site has no form token and is refused', async () => {
    const form = { request: request(), decision: 'allow' };
    expect((await post(form, { headers: cookie() })).status).toBe(403);
    const guess = { ...form, form_token: 'f'.repeat(64) };
    expect((await post(guess, { headers: cookie() })).status).toBe(403);
  });

  test('cannot be carried over to another request', async () => {
    const browser = loggedIn(identity);
    const page = await browser.open(authorizeUrl(client, { scope: 'openid', prompt: 'consent' }));
    const token = /name="form_token" value="([^"]*)"/.exec(page.body)![1]!;
    const form = { request: request({ scope: 'openid orders:write' }), form_token: token, decision: 'allow' };
    expect((await post(form, { headers: cookie() })).status).toBe(403);
  });

  test('needs a login', async () => {
    expect((await post({ request: request(), decision: 'allow' })).status).toBe(401);
  });

  test('may come by bearer from a login, and from no other token', async () => {
    const form = { request: request(), decision: 'allow' };
    const session = await identity.callerOf(identity.first.user.session_token);
    const granted = await post(form, { as: session });
    expect(answerOf(granted.headers.get('location')!)).toHaveProperty('code');
    const personal = await identity.callerOf(identity.first.personal_access_token);
    expect((await post(form, { as: personal })).status).toBe(401);
    expect(
      (await post(form, { as: { ...personal, scheme: 'oidc', client_id: client.client_id } })).status,
    ).toBe(401);
  });

  test('is judged again from the beginning', async () => {
    const session = await identity.callerOf(identity.first.user.session_token);
    const bad = { request: request({ redirect_uri: 'https://evil.example' }), decision: 'allow' };
    const { status, headers } = await post(bad, { as: session });
    expect([status, headers.get('location')]).toEqual([400, null]);
    const scope = await post({ request: request({ scope: 'all' }), decision: 'allow' }, { as: session });
    expect(answerOf(scope.headers.get('location')!).error).toBe('invalid_scope');
  });

  test.each([
    ['nothing', ''],
    ['a NUL', 'request=%00'],
    ['far too much', `request=${'x'.repeat(70_000)}`],
    ['JSON', '{"request": 1}'],
  ])('%s is no bug', async (_, raw) => {
    const { status } = await identity.request('POST', '/v1/oauth2/consent', { raw, headers: cookie() });
    expect([400, 403]).toContain(status);
  });
});

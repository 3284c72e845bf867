import { hash } from 'node:crypto';
import { scopes } from '@tributary/proto/access.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import * as oidc from 'openid-client';
import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import { allow } from './consent.ts';
import { expectFields, expectProblem } from './expectations.ts';
import { makeCustomer, sessionOf } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any;

const redirect_uri = 'https://app.example/back';
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 120_000);
afterAll(() => platform?.stop());

/** Lets the client speak to a platform on this machine without TLS. */
const execute = [oidc.allowInsecureRequests];
const register = (metadata: Partial<oidc.ClientMetadata> = {}) =>
  oidc.dynamicClientRegistration(
    new URL(platform.baseUrl),
    { client_name: 'Reference', redirect_uris: [redirect_uri], ...metadata },
    undefined,
    { execute },
  );

/** The whole code flow with PKCE, state and nonce. */
async function signIn(config: oidc.Configuration, scope: string) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()];
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri,
    scope,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  });
  const back = await allow(platform, address);
  return oidc.authorizationCodeGrant(config, back, {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: scope.includes('openid'),
  });
}

describe('authorize', () => {
  const client = () => platform.credentials.oauth_client;
  const query = (given: Record<string, string> = {}) =>
    `/v1/oauth2/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: client().client_id,
      redirect_uri: client().redirect_uri,
      scope: 'openid orders:read',
      ...given,
    })}`;
  const ask = (given?: Record<string, string>, token: string | undefined = platform.personalToken) =>
    platform.merchant.as(token).get(query(given));
  const organization = () => ({
    id: platform.organizationId,
    slug: 'first-organization',
    avatar_url: null,
  });

  test('with a bearer token describes the client, the user and what is asked of it', async () => {
    const body = expectStatus(await ask(), 200);
    expectFields(body, [
      'client',
      'sub_type',
      'sub',
      'scopes',
      'organizations',
      'requires_single_organization',
      'scope_display_names',
    ]);
    expectFields(body.client, [
      'created_at',
      'modified_at',
      'client_id',
      'client_name',
      'client_uri',
      'logo_uri',
      'tos_uri',
      'policy_uri',
    ]);
    expect(JSON.stringify(body)).not.toContain(client().client_secret);
    expect(body).toMatchObject({
      client: { client_id: client().client_id, client_name: 'First application' },
      sub_type: 'user',
      scopes: ['openid', 'orders:read'],
      organizations: [organization()],
      requires_single_organization: false,
    });
    expect(body.sub).toEqual({
      id: platform.credentials.user.id,
      email: platform.credentials.user.email,
      avatar_url: expect.any(String),
    });
    expect(Object.keys(body.scope_display_names).toSorted()).toEqual(scopes.toSorted());
    for (const text of Object.values(body.scope_display_names)) expect(text).toMatch(/^[A-Z]/);
  });

  test('describes an organization that is asked for', async () => {
    const body = expectStatus(await ask({ sub_type: 'organization', sub: platform.organizationId }), 200);
    expect(body).toMatchObject({
      sub_type: 'organization',
      sub: organization(),
      organizations: [organization()],
      requires_single_organization: true,
    });
  });

  test('also takes the token of an application', async () => {
    const { access_token } = await signIn(await register(), 'openid orders:read');
    expect(expectStatus(await ask({}, access_token), 200).sub.id).toBe(platform.credentials.user.id);
  });

  test('takes tokens of users only: without one, or with another’s, it is a 401', async () => {
    const { merchant } = platform;
    const customer = await makeCustomer(merchant);
    const session = await sessionOf(merchant, customer.id);
    for (const token of ['trb_pat_made_up', platform.merchantToken, session])
      expectProblem(await ask({}, token), 401, 'Unauthorized');
    expectProblem(await merchant.as(undefined).get(query()), 401, 'Unauthorized');
  });

  test('refuses an unknown client and a foreign address where it is asked, all else at the client’s', async () => {
    const refused = async (given: Record<string, string>) => {
      const headers = { authorization: `Bearer ${platform.personalToken}` };
      const response = await fetch(platform.baseUrl + query(given), { headers, redirect: 'manual' });
      const location = response.headers.get('location');
      const error = location
        ? new URL(location).searchParams.get('error')
        : ((await response.json()) as Json).error;
      return [response.status, error];
    };
    expect(await refused({ client_id: 'trb_ci_nobody' })).toEqual([400, 'invalid_client']);
    expect(await refused({ redirect_uri: 'https://evil.example/' })).toEqual([400, 'invalid_request']);
    expect(await refused({ scope: 'everything' })).toEqual([302, 'invalid_scope']);
    expect(await refused({ response_type: 'token' })).toEqual([302, 'unsupported_response_type']);
    expect(await refused({ prompt: 'none', state: 's' })).toEqual([302, 'consent_required']);
  });
});

describe('the token endpoint', () => {
  const post = async (form: Record<string, string>) => {
    const response = await fetch(`${platform.baseUrl}/v1/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    return { status: response.status, body: (await response.json()) as Json, headers: response.headers };
  };
  const client = () => platform.credentials.oauth_client;
  const codeFor = async (scope: string) => {
    const parameters = { response_type: 'code', client_id: client().client_id, scope };
    const address = new URL(`${platform.baseUrl}/v1/oauth2/authorize?${new URLSearchParams(parameters)}`);
    return (await allow(platform, address)).searchParams.get('code')!;
  };
  const exchange = (code: string, given: Record<string, string> = {}) =>
    post({ grant_type: 'authorization_code', ...client(), code, ...given });

  test('answers with every field, and the token works with its scopes and no more', async () => {
    const { status, body } = await exchange(await codeFor('openid email orders:read'));
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^trb_at_u_/),
      token_type: 'Bearer',
      expires_in: 864_000,
      scope: 'openid email orders:read',
      refresh_token: expect.stringMatching(/^trb_rt_u_/),
      id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    const application = platform.merchant.as(body.access_token);
    expectStatus(await application.get('/v1/orders/'), 200);
    expect((await application.get('/v1/files/')).status).toBe(403);
  });

  test('answers a refresh with new tokens for an hour', async () => {
    const { body } = await exchange(await codeFor('openid orders:read files:read'));
    const refreshed = await post({
      grant_type: 'refresh_token',
      client_id: client().client_id,
      client_secret: client().client_secret,
      refresh_token: body.refresh_token,
      scope: 'orders:read',
    });
    expect(refreshed.status).toBe(200);
    expect(refreshed.body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'orders:read' });
    expect(refreshed.body.refresh_token).not.toBe(body.refresh_token);
    expectStatus(await platform.merchant.as(refreshed.body.access_token).get('/v1/orders/'), 200);
  });

  test('takes a code once; the second time its tokens end too', async () => {
    const code = await codeFor('orders:read');
    const { body } = await exchange(code);
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await eventually(async () =>
      expect((await platform.merchant.as(body.access_token).get('/v1/orders/')).status).toBe(401),
    );
  });

  test('refuses in the words of OAuth', async () => {
    const cases: [Record<string, string>, number, string][] = [
      [{ code: 'trb_ac_nobody' }, 400, 'invalid_grant'],
      [{ redirect_uri: 'https://evil.example/' }, 400, 'invalid_grant'],
      [{ client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ client_id: 'trb_ci_nobody' }, 401, 'invalid_client'],
      [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
      [{ grant_type: 'refresh_token' }, 400, 'invalid_request'],
      [{ grant_type: 'refresh_token', refresh_token: 'trb_rt_u_nobody' }, 400, 'invalid_grant'],
    ];
    for (const [given, status, error] of cases) {
      const answer = await exchange(await codeFor('orders:read'), given);
      expect([given, answer.status, answer.body]).toEqual([
        given,
        status,
        { error, error_description: expect.any(String) },
      ]);
      if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic/);
    }
  });

  test('refuses a verifier that is not the challenge’s', async () => {
    const verifier = oidc.randomPKCECodeVerifier();
    const parameters = {
      response_type: 'code',
      client_id: client().client_id,
      scope: 'orders:read',
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
    };
    const address = () =>
      new URL(`${platform.baseUrl}/v1/oauth2/authorize?${new URLSearchParams(parameters)}`);
    const code = async () => (await allow(platform, address())).searchParams.get('code')!;
    const other = oidc.randomPKCECodeVerifier();
    expect((await exchange(await code(), { code_verifier: other })).body.error).toBe('invalid_grant');
    expect((await exchange(await code())).body.error).toMatch(/invalid_(grant|request)/);
    expect((await exchange(await code(), { code_verifier: verifier })).status).toBe(200);
  });
});

describe('a certified client signs in through the gateway', () => {
  test.each([
    ['its secret in the form', 'client_secret_post'],
    ['its secret in a header', 'client_secret_basic'],
    ['no secret', 'none'],
  ] as const)('registered by itself, with %s', async (_name, token_endpoint_auth_method) => {
    const { merchant, credentials } = platform;
    const config = await register({ token_endpoint_auth_method });
    oidc.enableNonRepudiationChecks(config);
    const tokens = await signIn(config, 'openid email orders:read');
    const claims = tokens.claims()!;
    expect(claims).toMatchObject({
      iss: platform.baseUrl,
      sub: credentials.user.id,
      email: credentials.user.email,
    });
    expect(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)).toEqual({
      sub: claims.sub,
      email: credentials.user.email,
      email_verified: true,
    });
    expectStatus(await merchant.as(tokens.access_token).get('/v1/orders/'), 200);

    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
    expect(refreshed.claims()!.sub).toBe(claims.sub);
    expectStatus(await merchant.as(refreshed.access_token).get('/v1/orders/'), 200);
    if (token_endpoint_auth_method !== 'none')
      expect(await oidc.tokenIntrospection(config, refreshed.access_token)).toMatchObject({
        active: true,
        sub: claims.sub,
      });
    await oidc.tokenRevocation(config, refreshed.refresh_token!);
    await eventually(async () =>
      expect((await merchant.as(refreshed.access_token).get('/v1/orders/')).status).toBe(401),
    );
  });

  test('found by discovery, with the first organization’s client', async () => {
    const { client_id, client_secret, redirect_uri } = platform.credentials.oauth_client;
    const config = await oidc.discovery(new URL(platform.baseUrl), client_id, client_secret, undefined, {
      execute: [...execute, oidc.enableNonRepudiationChecks],
    });
    const address = oidc.buildAuthorizationUrl(config, { redirect_uri, scope: 'openid' });
    const tokens = await oidc.authorizationCodeGrant(config, await allow(platform, address));
    expect(tokens.claims()!.sub).toBe(platform.credentials.user.id);
  });
});

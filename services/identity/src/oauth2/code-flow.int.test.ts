import * as oidc from 'openid-client';
import { gatewayFetch, loggedIn } from '../testing/browser.ts';
import { type IdentityUnderTest, identityUnderTest } from '../testing/identity.ts';

/** A certified client completes the code flow against us, as an integrator's would. */

const issuer = new URL('https://pay.example.com');
const redirect_uri = 'https://app.example/back';
let identity: IdentityUnderTest;
beforeAll(async () => {
  // The client judges times by the clock of this machine.
  identity = await identityUnderTest({ start: new Date() });
});
afterAll(() => identity?.stop());

const options = () => ({ [oidc.customFetch]: gatewayFetch(identity) as oidc.CustomFetch });

/** Has the owner allow what the client asks for; returns the address the browser is sent to. */
async function allow(address: URL): Promise<URL> {
  const browser = loggedIn(identity);
  const page = await browser.follow(address.pathname + address.search);
  if (page.location) return new URL(page.location);
  const answer = await browser.submit(page, '/v1/oauth2/consent', { decision: 'allow' });
  return new URL(answer.location!);
}

async function run(config: oidc.Configuration) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()];
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'openid email organizations:read',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    max_age: '1000000000',
  });
  const back = await allow(address);
  const checks = {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
    maxAge: 1_000_000_000,
  };
  return oidc.authorizationCodeGrant(config, back, checks);
}

test.each([
  ['its secret in the form', 'client_secret_post'],
  ['its secret in a header', 'client_secret_basic'],
  ['no secret', 'none'],
] as const)('registered by itself, with %s', async (_, token_endpoint_auth_method) => {
  const metadata = { client_name: 'Reference', redirect_uris: [redirect_uri], token_endpoint_auth_method };
  const config = await oidc.dynamicClientRegistration(issuer, metadata, undefined, options());
  oidc.enableNonRepudiationChecks(config);

  const tokens = await run(config);
  const claims = tokens.claims()!;
  expect(claims).toMatchObject({ sub: identity.first.user.id, email: 'owner@example.com' });
  const info = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
  expect(info).toEqual({ sub: claims.sub, email: 'owner@example.com', email_verified: true });

  const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
  expect(refreshed.claims()!.sub).toBe(claims.sub);
  if (token_endpoint_auth_method !== 'none') {
    const told = await oidc.tokenIntrospection(config, refreshed.access_token);
    expect(told).toMatchObject({ active: true, sub: claims.sub });
  }
  await oidc.tokenRevocation(config, refreshed.refresh_token!);
  expect(await identity.callerOf(refreshed.access_token)).toBeUndefined();
});

test('with the client of the first organization', async () => {
  const { client_id, client_secret, redirect_uri: own } = identity.first.oauth_client;
  const config = await oidc.discovery(issuer, client_id, client_secret, undefined, {
    execute: [oidc.enableNonRepudiationChecks],
    ...options(),
  });
  const address = oidc.buildAuthorizationUrl(config, { redirect_uri: own, scope: 'openid' });
  const tokens = await oidc.authorizationCodeGrant(config, await allow(address));
  expect(tokens.claims()!.sub).toBe(identity.first.user.id);
});

test('the metadata names every endpoint there is', async () => {
  const { status, body } = await identity.request('GET', '/.well-known/openid-configuration');
  expect(status).toBe(200);
  for (const [name, address] of Object.entries(body)) {
    if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue;
    const { pathname } = new URL(address as string);
    const answers = await Promise.all(
      ['GET', 'POST'].map((method) =>
        identity.request(method, pathname, { form: method === 'POST' ? { x: 'y' } : undefined }),
      ),
    );
    expect(answers.some((answer) => answer.status !== 404)).toBe(true);
  }
});

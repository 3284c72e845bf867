import { hash } from 'node:crypto';
import type { TestResponse } from '@tributary/runtime/testing/service.ts';
import { loggedIn } from './browser.ts';
import type { IdentityUnderTest } from './identity.ts';

/** A registered application, as its developer knows it. */
export interface TestClient {
  client_id: string;
  client_secret: string;
  redirect_uri: string;
}

export const verifier = 'a-verifier-of-at-least-forty-three-characters';
export const challenge = {
  code_challenge: hash('sha256', verifier, 'base64url'),
  code_challenge_method: 'S256',
};

export async function registerClient(
  identity: IdentityUnderTest,
  metadata: object = {},
): Promise<TestClient> {
  const redirect_uri = 'https://app.example/back';
  const { body } = await identity.request('POST', '/v1/oauth2/register', {
    body: { client_name: 'App', redirect_uris: [redirect_uri], ...metadata },
  });
  return { redirect_uri, client_id: body.client_id, client_secret: body.client_secret };
}

export const authorizeUrl = (
  client: TestClient,
  parameters: Record<string, string | undefined> = {},
): string => {
  const all = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    scope: 'openid email organizations:read',
    state: 'a state',
    ...parameters,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/v1/oauth2/authorize?${new URLSearchParams(given)}`;
};

/** The parameters of an answer sent to the application. */
export const answerOf = (location: string | undefined): Record<string, string> =>
  Object.fromEntries(new URL(location ?? 'none:').searchParams);

/** Has the owner of the first organization agree, and returns the code. */
export async function obtainCode(
  identity: IdentityUnderTest,
  client: TestClient,
  parameters: Record<string, string | undefined> = {},
  choice: Record<string, string | string[]> = {},
): Promise<string> {
  const browser = loggedIn(identity);
  const page = await browser.open(authorizeUrl(client, { prompt: 'consent', ...parameters }));
  const answer = await browser.submit(page, '/v1/oauth2/consent', { decision: 'allow', ...choice });
  return answerOf(answer.location).code!;
}

/** Calls the token endpoint with the client's secret in the form. */
export const requestToken = (
  identity: IdentityUnderTest,
  client: Partial<TestClient>,
  form: Record<string, string>,
): Promise<TestResponse> =>
  identity.request('POST', '/v1/oauth2/token', {
    form: {
      ...(client.client_id ? { client_id: client.client_id } : {}),
      ...(client.client_secret ? { client_secret: client.client_secret } : {}),
      ...form,
    },
  });

export const exchange = (
  identity: IdentityUnderTest,
  client: TestClient,
  code: string,
  more: Record<string, string> = {},
): Promise<TestResponse> =>
  requestToken(identity, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirect_uri,
    ...more,
  });

export const refresh = (
  identity: IdentityUnderTest,
  client: TestClient,
  refresh_token: string,
  more: Record<string, string> = {},
): Promise<TestResponse> =>
  requestToken(identity, client, { grant_type: 'refresh_token', refresh_token, ...more });

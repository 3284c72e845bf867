import { type Scope, scopes } from '@tributary/proto/access.ts';
import { expectStatus } from '../../story/api.ts';
import type { TestPlatform } from '../test-platform.ts';

/** All but the power to make tokens of an organization, which applications may not ask for. */
export const requestableScopes: readonly Scope[] = scopes.filter(
  (scope) => !scope.startsWith('organization_access_tokens:'),
);

const decoded = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/**
 * Opens an authorization address in a browser whose person is logged in, allows what is asked for, and returns where
 * the browser is sent in the end.
 */
export async function allow({ baseUrl, credentials }: TestPlatform, address: URL): Promise<URL> {
  const headers = {
    accept: 'text/html,application/xhtml+xml',
    cookie: `tributary_session=${credentials.user.session_token}`,
  };
  const page = await fetch(address, { headers, redirect: 'manual' });
  const location = page.headers.get('location');
  if (location) return new URL(location, baseUrl);
  const form = /<form[^>]*action="\/v1\/oauth2\/consent"[^>]*>([\s\S]*?)<\/form>/.exec(await page.text());
  if (!form) throw new Error(`no consent is asked for: ${page.status}`);
  const fields = [...form[1]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  const body = new URLSearchParams();
  for (const [, name, value] of fields) body.append(decoded(name!), decoded(value!));
  body.set('decision', 'allow');
  const answer = await fetch(`${baseUrl}/v1/oauth2/consent`, {
    method: 'POST',
    headers: { ...headers, origin: baseUrl },
    redirect: 'manual',
    body,
  });
  const back = answer.headers.get('location');
  if (!back) throw new Error(`the consent was not taken: ${answer.status} ${await answer.text()}`);
  return new URL(back, baseUrl);
}

/** An access token with these scopes, by the authorization code flow of the first application. */
export async function oidcToken(platform: TestPlatform, granted: readonly Scope[]): Promise<string> {
  const { client_id, client_secret, redirect_uri } = platform.credentials.oauth_client;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: granted.join(' '),
  });
  const back = await allow(platform, new URL(`${platform.baseUrl}/v1/oauth2/authorize?${query}`));
  const code = back.searchParams.get('code')!;
  const response = await fetch(`${platform.baseUrl}/v1/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      code,
      redirect_uri,
    }),
  });
  const body = (await response.json()) as { access_token: string };
  return expectStatus({ method: 'POST', path: '/v1/oauth2/token', status: response.status, body }, 200)
    .access_token;
}

/** A personal access token with these scopes. */
export const patWith = async (platform: TestPlatform, granted: readonly Scope[]): Promise<string> =>
  expectStatus(
    await platform.merchant
      .as(platform.personalToken)
      .post('/v1/personal-access-tokens/', { comment: 'test', scopes: granted }),
    201,
  ).token;

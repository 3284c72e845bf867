import type { App } from '../app.ts';
import { requestOf } from '../oauth2/authorize/authorize.flow.ts';
import { readAuthorizeQuery } from '../oauth2/authorize/request.ts';
import { OAuthError } from '../oauth2/oauth-error.ts';

/** Address of the application whose request a login leads back to; undefined when there is none. */
export async function destinationOf(app: App, returnTo: string): Promise<string | undefined> {
  if (returnTo === '') return undefined;
  try {
    const request = await requestOf(app, readAuthorizeQuery(returnTo.slice(returnTo.indexOf('?') + 1)));
    return request.redirect.uri;
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}

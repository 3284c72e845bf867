import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '@tributary/proto/principal.ts';
import { Problem, Unauthorized } from '@tributary/runtime/http/problem.ts';
import { Reply } from '@tributary/runtime/http/reply.ts';
import type { App } from '../../app.ts';
import { expiredForm, type PageForm, readPageForm } from '../../pages/form.ts';
import { isFormToken } from '../../pages/form-token.ts';
import { refusalPage, sendOn } from '../../pages/page.ts';
import { bearerSession, browserSession } from '../../user-sessions/browser-session.flow.ts';
import type { UserSession } from '../../user-sessions/user-session.ts';
import { OAuthError } from '../oauth-error.ts';
import { askConsent, organizationsOf, refusalAddress, requestOf } from './authorize.flow.ts';
import { grantCode } from './grant-code.flow.ts';
import type { Pickable } from './present.ts';
import { type AuthorizationRequest, RedirectedError, readAuthorizeQuery } from './request.ts';

export interface ConsentCall {
  bytes: Buffer;
  principal: Principal;
  headers: IncomingHttpHeaders;
  now: Date;
}

/**
 * The user has answered the consent page. The request is read and judged again from the beginning: nothing the page
 * carried is trusted. Only a login may answer, never another token of the user's: it could grant itself more.
 */
export async function answerConsent(app: App, call: ConsentCall): Promise<Reply> {
  const form = readPageForm(call.bytes);
  if (form instanceof Reply) return form;
  const byBearer = await bearerSession(app, call.principal, call.now);
  const session = byBearer ?? (await sessionOf(app, call));
  if (!session) throw new Problem(Unauthorized, 'Log in first.');
  const query = form.get('request');
  const purpose = `consent ${query}`;
  if (!byBearer && !isFormToken(form.get('form_token'), session.token_hash, purpose, app.tokenSecret)) {
    return expiredForm();
  }
  try {
    return await decide(app, form, session, call.now);
  } catch (error) {
    if (error instanceof RedirectedError) return sendOn(refusalAddress(app, error));
    if (error instanceof OAuthError) return refusalPage(400, 'This link does not work', error.message);
    throw error;
  }
}

const sessionOf = async (app: App, { principal, headers, now }: ConsentCall) =>
  principal.kind === 'anonymous' ? browserSession(app, headers, now) : undefined;

async function decide(app: App, form: PageForm, session: UserSession, now: Date): Promise<Reply> {
  const query = form.get('request');
  const request = await requestOf(app, readAuthorizeQuery(query));
  if (form.get('decision') !== 'allow') {
    throw new RedirectedError(request.redirect, 'access_denied', 'The user refused.');
  }
  const organizations = await organizationsOf(app, session.user_id);
  const chosen = chosenOrganizations(request, form, organizations);
  if (chosen === undefined) {
    const refusal =
      request.sub_type === 'organization' ? 'Choose one organization.' : 'Choose some organizations.';
    return askConsent(app, request, { session, organizations, query, refusal });
  }
  return sendOn(await grantCode(app, request, { session, organization_ids: chosen, now }));
}

/** What the user picked: null for all, undefined when the pick does not answer the question. */
function chosenOrganizations(
  { sub_type }: AuthorizationRequest,
  form: PageForm,
  organizations: readonly Pickable[],
): string[] | null | undefined {
  const picked = [...new Set(form.all('organization_id'))];
  const areTheirs = picked.every((id) => organizations.some((organization) => organization.id === id));
  if (sub_type === 'organization') return areTheirs && picked.length === 1 ? picked : undefined;
  if (form.get('access') !== 'some') return null;
  return areTheirs && picked.length > 0 ? picked : undefined;
}

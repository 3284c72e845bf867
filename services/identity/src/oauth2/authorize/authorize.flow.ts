import type { IncomingHttpHeaders } from 'node:http';
import type { Principal, PrincipalOf } from '@tributary/proto/principal.ts';
import { Problem, Unauthorized } from '@tributary/runtime/http/problem.ts';
import type { Reply } from '@tributary/runtime/http/reply.ts';
import type { z } from 'zod';
import type { App } from '../../app.ts';
import { membershipsOf } from '../../memberships/store.ts';
import { findOrganizations } from '../../organizations/store.ts';
import { formToken } from '../../pages/form-token.ts';
import { redirectTo, refusalPage } from '../../pages/page.ts';
import { browserSession } from '../../user-sessions/browser-session.flow.ts';
import type { UserSession } from '../../user-sessions/user-session.ts';
import { findUser } from '../../users/store.ts';
import { findClient } from '../clients/store.ts';
import { isAnswered } from '../consents/consent.ts';
import { findConsent } from '../consents/store.ts';
import { OAuthError, refusalReply } from '../oauth-error.ts';
import { withParameters } from '../redirect-uri.ts';
import { consentPage } from './consent-page.ts';
import { grantCode } from './grant-code.flow.ts';
import { type Pickable, presentRequest } from './present.ts';
import { type AuthorizationRequest, RedirectedError, readRequest, redirectOf } from './request.ts';
import type { AuthorizeQuery, AuthorizeResponse } from './schema.ts';

export interface AuthorizeCall {
  query: AuthorizeQuery;
  principal: Principal;
  headers: IncomingHttpHeaders;
  now: Date;
}

/**
 * An application asks for access. With a bearer token the answer describes the request, for whoever shows it to the
 * user; nothing is granted. A browser is led through login and consent and back to the application with a code.
 */
export async function authorize(
  app: App,
  call: AuthorizeCall,
): Promise<Reply | z.input<typeof AuthorizeResponse>> {
  const viewer = await viewerOf(app, call);
  try {
    const request = await requestOf(app, call.query);
    return viewer.kind === 'program'
      ? await describe(app, request, viewer.user)
      : await leadThrough(app, request, viewer.session, call);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    if (error instanceof RedirectedError) return redirectTo(refusalAddress(app, error));
    return viewer.kind === 'browser'
      ? refusalPage(400, 'This link does not work', error.message)
      : refusalReply(error);
  }
}

/** Reads a request and finds its client. @throws OAuthError */
export async function requestOf(app: App, query: AuthorizeQuery): Promise<AuthorizationRequest> {
  if (query.client_id === undefined)
    throw new OAuthError('invalid_request', 'The parameter client_id is missing.');
  const client = await findClient(app.db.manager, query.client_id);
  const redirect = redirectOf(query, client);
  return readRequest(query, client!, redirect);
}

type Viewer =
  | { kind: 'program'; user: { id: string; organizations: PrincipalOf<'user'>['organizations'] | undefined } }
  | { kind: 'browser'; session: UserSession | undefined };

/** Who looks at the answer: a program by bearer token or with a wish for JSON, or a person in a browser. */
async function viewerOf(app: App, { principal, headers, now }: AuthorizeCall): Promise<Viewer> {
  if (principal.kind === 'user') {
    const organizations = principal.is_limited ? principal.organizations : undefined;
    return { kind: 'program', user: { id: principal.user_id, organizations } };
  }
  const accepts = headers.accept ?? '';
  const session = principal.kind === 'anonymous' ? await browserSession(app, headers, now) : undefined;
  if (session && accepts.includes('application/json') && !accepts.includes('text/html')) {
    return { kind: 'program', user: { id: session.user_id, organizations: undefined } };
  }
  if (principal.kind !== 'anonymous' || (!session && !accepts.includes('text/html'))) {
    throw new Problem(Unauthorized, 'Not authenticated', { 'www-authenticate': 'Bearer realm="tributary"' });
  }
  return { kind: 'browser', session };
}

async function describe(
  app: App,
  request: AuthorizationRequest,
  viewer: (Viewer & { kind: 'program' })['user'],
) {
  const user = await findUser(app.db.manager, viewer.id);
  if (!user) throw new Problem(Unauthorized, 'The user no longer exists.');
  const organizations = await organizationsOf(app, user.id);
  const isWithinLimit = ({ id }: Pickable) =>
    viewer.organizations === undefined || viewer.organizations.some((organization) => organization.id === id);
  if (request.prompts.has('none') && !(await consentFor(app, request, user.id, organizations))) {
    throw new RedirectedError(request.redirect, 'consent_required', 'The user has not agreed to this yet.');
  }
  return presentRequest(request, user, organizations.filter(isWithinLimit));
}

async function leadThrough(
  app: App,
  request: AuthorizationRequest,
  session: UserSession | undefined,
  { query, now }: AuthorizeCall,
): Promise<Reply> {
  const isSilent = request.prompts.has('none');
  if (!session || isTooOld(session, request, now) || request.prompts.has('login')) {
    if (isSilent) throw new RedirectedError(request.redirect, 'login_required', 'The user is not logged in.');
    return redirectTo(loginAddress(query));
  }
  const organizations = await organizationsOf(app, session.user_id);
  const consent = await consentFor(app, request, session.user_id, organizations);
  if (consent && !request.prompts.has('consent')) {
    const grant = { session, organization_ids: consent.organization_ids, now };
    return redirectTo(await grantCode(app, request, grant));
  }
  if (isSilent) {
    throw new RedirectedError(request.redirect, 'consent_required', 'The user has not agreed to this yet.');
  }
  return askConsent(app, request, { session, organizations, query: queryString(query) });
}

/** Shows the consent page. */
export function askConsent(
  app: App,
  request: AuthorizationRequest,
  shown: { session: UserSession; organizations: readonly Pickable[]; query: string; refusal?: string },
): Reply {
  const { session, organizations, query, refusal } = shown;
  return consentPage({
    request,
    query,
    refusal,
    organizations,
    email: session.email,
    formToken: formToken(session.token_hash, `consent ${query}`, app.tokenSecret),
    logoutToken: formToken(session.token_hash, 'logout', app.tokenSecret),
  });
}

/** The organizations a user may give access to. */
export async function organizationsOf(app: App, userId: string): Promise<Pickable[]> {
  const memberships = await membershipsOf(app.db, userId);
  const organizations = await findOrganizations(
    app.db.manager,
    memberships.map(({ id }) => id),
  );
  return organizations.filter(({ status }) => status !== 'blocked');
}

/** The address that tells the application of a refusal. */
export const refusalAddress = (app: App, { redirect, code, message }: RedirectedError): string =>
  withParameters(redirect.uri, {
    error: code,
    error_description: message,
    state: redirect.state,
    iss: app.publicUrl,
  });

async function consentFor(
  app: App,
  { client, sub_type, sub, scopes }: AuthorizationRequest,
  user_id: string,
  organizations: readonly Pickable[],
) {
  const consent = await findConsent(app.db, { client_id: client.client_id, user_id, sub_type });
  const memberships = organizations.map(({ id }) => id);
  return isAnswered(consent, { scopes, sub_type, sub, memberships }) ? consent : undefined;
}

const isTooOld = (session: UserSession, { max_age }: AuthorizationRequest, now: Date): boolean =>
  max_age !== undefined && now.getTime() - session.created_at.getTime() > max_age * 1000;

const queryString = (query: AuthorizeQuery): string =>
  new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined)).toString();

/** The login page, with the way back to this request; having logged in answers the prompt for it. */
function loginAddress(query: AuthorizeQuery): string {
  const prompt = query.prompt
    ?.split(' ')
    .filter((word) => word !== 'login')
    .join(' ');
  const back = `/v1/oauth2/authorize?${queryString({ ...query, prompt: prompt || undefined })}`;
  const parameters = new URLSearchParams({ return_to: back });
  if (query.login_hint) parameters.set('login_hint', query.login_hint);
  return `/v1/oauth2/login?${parameters}`;
}

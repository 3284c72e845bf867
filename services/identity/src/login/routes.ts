import type { IncomingHttpHeaders } from 'node:http';
import { anonymous } from '@tributary/proto/access.ts';
import { Reply } from '@tributary/runtime/http/reply.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { expiredForm, type PageForm, readPageForm, safeReturn } from '../pages/form.ts';
import { ensureVisitor, formToken, isFormToken, visitorOf } from '../pages/form-token.ts';
import { sendOn } from '../pages/page.ts';
import {
  browserSession,
  isSecure,
  loginCookie,
  logoutCookie,
} from '../user-sessions/browser-session.flow.ts';
import { destinationOf } from './destination.flow.ts';
import { type LoginAttempt, logInByCode, logInByPassword } from './log-in.flow.ts';
import { logOut } from './log-out.flow.ts';
import { codePage, type LoginForm, loginPage } from './pages.ts';
import { sendLoginCode } from './send-login-code.flow.ts';

const LOGIN = 'login';
const ACCOUNT = '/v1/oauth2/account';
const Email = z.email().max(320);

const fields = { email: z.string(), return_to: z.string().optional(), form_token: z.string() };
const PasswordForm = z.object({ ...fields, password: z.string() }).meta({ id: 'LoginForm' });
const CodeForm = z.object(fields).meta({ id: 'LoginCodeForm' });
const VerifyForm = z.object({ ...fields, code: z.string() }).meta({ id: 'LoginVerifyForm' });
const LogoutForm = z
  .object({ return_to: z.string().optional(), form_token: z.string() })
  .meta({ id: 'LogoutForm' });

/** A form of the login page, sent by the browser it was shown to. */
async function readLogin(
  app: App,
  call: { bytes: Buffer; headers: IncomingHttpHeaders },
): Promise<{ form: PageForm; shown: LoginForm } | Reply> {
  const form = readPageForm(call.bytes);
  if (form instanceof Reply) return form;
  const visitor = visitorOf(call.headers.cookie);
  if (!visitor || !isFormToken(form.get('form_token'), visitor, LOGIN, app.tokenSecret)) return expiredForm();
  const return_to = safeReturn(form.get('return_to')) ?? '';
  const shown = {
    email: form.get('email').trim(),
    return_to,
    leads_to: await destinationOf(app, return_to),
    form_token: form.get('form_token'),
  };
  if (!Email.safeParse(shown.email).success) {
    return loginPage({ ...shown, email: '', refusal: 'Enter an e-mail address.' });
  }
  return { form, shown };
}

/** Lets a browser in that proves who it is, or shows `again` what was wrong. */
async function letIn(
  app: App,
  session: string | undefined,
  shown: LoginForm,
  again: (form: LoginForm) => Reply,
): Promise<Reply> {
  if (session === undefined) return again({ ...shown, refusal: 'That is not right, or no longer good.' });
  return sendOn(shown.return_to || ACCOUNT, loginCookie(app, session));
}

const attempt = (shown: LoginForm, proof: string, now: Date): LoginAttempt => ({
  email: shown.email,
  proof,
  now,
});

export const loginRoutes = [
  route({
    method: 'GET',
    path: '/v1/oauth2/login',
    operation: 'login:page',
    summary: 'Show the login page',
    access: anonymous,
    rate: 'browser',
    query: z.object({
      return_to: z.string().max(32_768).optional(),
      login_hint: z.string().max(320).optional(),
    }),
    handle: async ({ query, headers: { cookie } }, app) => {
      const { visitor, headers } = ensureVisitor(cookie, isSecure(app));
      const return_to = safeReturn(query.return_to ?? '') ?? '';
      return loginPage({
        email: query.login_hint ?? '',
        return_to,
        leads_to: await destinationOf(app, return_to),
        form_token: formToken(visitor, LOGIN, app.tokenSecret),
        headers,
      });
    },
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/login',
    operation: 'login:password',
    summary: 'Log in by password',
    access: anonymous,
    rate: 'restricted',
    status: 303,
    form: true,
    raw: true,
    body: PasswordForm,
    async handle(call, app) {
      const login = await readLogin(app, call);
      if (login instanceof Reply) return login;
      const password = login.form.get('password').slice(0, 1000);
      const session = await logInByPassword(app, attempt(login.shown, password, call.now));
      return letIn(app, session, login.shown, loginPage);
    },
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/login/code',
    operation: 'login:send_code',
    summary: 'Mail a login code',
    access: anonymous,
    rate: 'customer_email',
    form: true,
    raw: true,
    body: CodeForm,
    async handle(call, app) {
      const login = await readLogin(app, call);
      if (login instanceof Reply) return login;
      await sendLoginCode(app, login.shown.email, call.now);
      return codePage(login.shown);
    },
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/login/verify',
    operation: 'login:verify_code',
    summary: 'Log in by e-mailed code',
    access: anonymous,
    rate: 'restricted',
    status: 303,
    form: true,
    raw: true,
    body: VerifyForm,
    async handle(call, app) {
      const login = await readLogin(app, call);
      if (login instanceof Reply) return login;
      const session = await logInByCode(app, attempt(login.shown, login.form.get('code'), call.now));
      return letIn(app, session, login.shown, codePage);
    },
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/logout',
    operation: 'login:logout',
    summary: 'Log out',
    access: anonymous,
    rate: 'browser',
    status: 303,
    form: true,
    raw: true,
    body: LogoutForm,
    async handle({ bytes, headers, now }, app) {
      const form = readPageForm(bytes);
      if (form instanceof Reply) return form;
      const back = safeReturn(form.get('return_to'));
      const login = `/v1/oauth2/login${back ? `?${new URLSearchParams({ return_to: back })}` : ''}`;
      const session = await browserSession(app, headers, now);
      if (!session) return sendOn(login, logoutCookie(app));
      if (!isFormToken(form.get('form_token'), session.token_hash, 'logout', app.tokenSecret))
        return expiredForm();
      await logOut(app, session);
      return sendOn(login, logoutCookie(app));
    },
  }),
];

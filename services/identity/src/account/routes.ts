import { anonymous } from '@tributary/proto/access.ts';
import { Reply } from '@tributary/runtime/http/reply.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { expiredForm, readPageForm } from '../pages/form.ts';
import { formToken, isFormToken } from '../pages/form-token.ts';
import { html, nothing } from '../pages/html.ts';
import { hidden, page, redirectTo } from '../pages/page.ts';
import { browserSession } from '../user-sessions/browser-session.flow.ts';
import type { UserSession } from '../user-sessions/user-session.ts';
import { setPassword } from './set-password.flow.ts';

const PASSWORD = 'password';
const PasswordForm = z
  .object({ current_password: z.string().optional(), password: z.string(), form_token: z.string() })
  .meta({ id: 'PasswordForm' });

function accountPage(app: App, session: UserSession, notice?: { refusal?: string; done?: string }): Reply {
  const token = (purpose: string) =>
    hidden('form_token', formToken(session.token_hash, purpose, app.tokenSecret));
  return page({
    title: 'Your account',
    status: notice?.refusal === undefined ? 200 : 422,
    body: html`
<p>Logged in as <strong>${session.email}</strong>.</p>
${notice?.refusal === undefined ? nothing : html`<p class="refusal">${notice.refusal}</p>`}
${notice?.done === undefined ? nothing : html`<p>${notice.done}</p>`}
<form method="post" action="/v1/oauth2/account/password">
${token(PASSWORD)}
<label for="current">Current password, if you have one</label>
<input id="current" name="current_password" type="password" maxlength="1000" autocomplete="current-password">
<label for="password">New password</label>
<input id="password" name="password" type="password" maxlength="1000" autocomplete="new-password" required>
<button>Set password</button>
</form>
<form method="post" action="/v1/oauth2/logout">${token('logout')}<button>Log out</button></form>`,
  });
}

export const accountRoutes = [
  route({
    method: 'GET',
    path: '/v1/oauth2/account',
    operation: 'account:page',
    summary: 'Show the account page',
    access: anonymous,
    rate: 'browser',
    async handle({ headers, now }, app) {
      const session = await browserSession(app, headers, now);
      return session ? accountPage(app, session) : redirectTo('/v1/oauth2/login');
    },
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/account/password',
    operation: 'account:set_password',
    summary: 'Set a password',
    access: anonymous,
    rate: 'restricted',
    form: true,
    raw: true,
    body: PasswordForm,
    async handle({ bytes, headers, now }, app) {
      const form = readPageForm(bytes);
      if (form instanceof Reply) return form;
      const session = await browserSession(app, headers, now);
      if (!session) return redirectTo('/v1/oauth2/login');
      if (!isFormToken(form.get('form_token'), session.token_hash, PASSWORD, app.tokenSecret))
        return expiredForm();
      const change = {
        current: form.get('current_password').slice(0, 1000),
        next: form.get('password'),
        now,
      };
      const refusal = await setPassword(app, session, change);
      return accountPage(app, session, refusal ? { refusal } : { done: 'Your password is set.' });
    },
  }),
];

import type { Reply } from '@tributary/runtime/http/reply.ts';
import { type Html, html, nothing } from '../pages/html.ts';
import { hidden, page } from '../pages/page.ts';

/** What every form of the login carries. */
export interface LoginForm {
  email: string;
  return_to: string;
  form_token: string;
  refusal?: string;
  /** Address of the application the login is for: with an earlier consent it comes right after the login. */
  leads_to?: string;
  headers?: Record<string, string>;
}

const carried = ({ return_to, form_token }: LoginForm): Html =>
  html`${hidden('return_to', return_to)}${hidden('form_token', form_token)}`;

const refusalOf = ({ refusal }: LoginForm): Html =>
  refusal === undefined ? nothing : html`<p class="refusal">${refusal}</p>`;

export const loginPage = (form: LoginForm): Reply =>
  page({
    title: 'Log in',
    status: form.refusal === undefined ? 200 : 422,
    headers: form.headers,
    leadsTo: form.leads_to,
    body: html`
${refusalOf(form)}
<form method="post" action="/v1/oauth2/login">
${carried(form)}
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" value="${form.email}" maxlength="320" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="1000" autocomplete="current-password">
<button>Log in</button>
<button formaction="/v1/oauth2/login/code">Mail me a code instead</button>
</form>
<p class="quiet">New here? A code works for you too.</p>`,
  });

export const codePage = (form: LoginForm): Reply =>
  page({
    title: 'Enter your code',
    status: form.refusal === undefined ? 200 : 422,
    headers: form.headers,
    leadsTo: form.leads_to,
    body: html`
${refusalOf(form)}
<p>A code of six characters is on its way to <strong>${form.email}</strong>.</p>
<form method="post" action="/v1/oauth2/login/verify">
${carried(form)}${hidden('email', form.email)}
<label for="code">Code</label>
<input id="code" name="code" maxlength="20" autocomplete="one-time-code" autocapitalize="characters" required>
<button>Log in</button>
</form>
<p><a href="/v1/oauth2/login?${new URLSearchParams({ return_to: form.return_to }).toString()}">Back</a></p>`,
  });

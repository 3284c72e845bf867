import type { Reply } from '@tributary/runtime/http/reply.ts';
import { type Html, html, nothing } from '../../pages/html.ts';
import { hidden, page } from '../../pages/page.ts';
import { displayNameOf } from '../scope.ts';
import type { Pickable } from './present.ts';
import type { AuthorizationRequest } from './request.ts';

export interface ConsentPage {
  request: AuthorizationRequest;
  /** The request again, as a query string. */
  query: string;
  email: string;
  organizations: readonly Pickable[];
  formToken: string;
  logoutToken: string;
  /** What was wrong with the answer given before. */
  refusal?: string;
}

/** Asks the user what the application may do. */
export function consentPage(shown: ConsentPage): Reply {
  const { request, query, email, organizations, formToken, logoutToken, refusal } = shown;
  const { client } = request;
  const cannotAllow = request.sub_type === 'organization' && organizations.length === 0;
  return page({
    title: `${client.client_name} asks for access`,
    leadsTo: request.redirect.uri,
    status: refusal === undefined ? 200 : 422,
    body: html`
${refusal === undefined ? nothing : html`<p class="refusal">${refusal}</p>`}
<p>Logged in as <strong>${email}</strong>. The application will be able to:</p>
<ul>${request.scopes.map((scope) => html`<li>${displayNameOf(scope)}</li>`)}</ul>
<form method="post" action="/v1/oauth2/consent">
${hidden('request', query)}${hidden('form_token', formToken)}
${request.sub_type === 'organization' ? oneOrganization(request, organizations) : anyOrganizations(organizations)}
${cannotAllow ? nothing : html`<button name="decision" value="allow">Allow</button>`}
<button name="decision" value="deny">Deny</button>
</form>
<p class="quiet">You will be sent to ${new URL(request.redirect.uri).host}. ${links(client)}</p>
<form method="post" action="/v1/oauth2/logout">
${hidden('return_to', `/v1/oauth2/authorize?${query}`)}${hidden('form_token', logoutToken)}
<button>Use another account</button>
</form>`,
  });
}

function oneOrganization({ sub }: AuthorizationRequest, organizations: readonly Pickable[]): Html {
  if (organizations.length === 0) {
    return html`<p class="refusal">You belong to no organization that could give access.</p>`;
  }
  const isPicked = ({ id }: Pickable) => (organizations.length === 1 ? true : id === sub);
  return html`<fieldset><legend>For which organization?</legend>${organizations.map(
    (organization) =>
      html`<label><input type="radio" name="organization_id" value="${organization.id}" required${
        isPicked(organization) ? html` checked` : nothing
      }> ${organization.slug}</label>`,
  )}</fieldset>`;
}

function anyOrganizations(organizations: readonly Pickable[]): Html {
  if (organizations.length === 0) return nothing;
  return html`<fieldset><legend>For which organizations?</legend>
<label><input type="radio" name="access" value="all" checked> All of yours, also later ones</label>
<label><input type="radio" name="access" value="some"> Only these:</label>
${organizations.map(
  ({ id, slug }) => html`<label><input type="checkbox" name="organization_id" value="${id}"> ${slug}</label>`,
)}</fieldset>`;
}

const links = (client: AuthorizationRequest['client']): Html[] =>
  [
    ['Website', client.client_uri],
    ['Terms', client.tos_uri],
    ['Privacy', client.policy_uri],
  ].flatMap(([name, uri]) =>
    uri == null ? [] : [html`<a href="${uri}" rel="noreferrer noopener" target="_blank">${name!}</a> `],
  );

import { hash } from 'node:crypto';
import { Reply } from '@tributary/runtime/http/reply.ts';
import { type Html, html, Html as Markup } from './html.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 2rem 1rem; display: grid; place-items: start center }
main { width: 100%; max-width: 26rem }
h1 { font-size: 1.4rem; overflow-wrap: anywhere }
ul { padding-left: 1.2rem }
label { display: block; margin: .8rem 0 .2rem }
input:not([type=radio], [type=checkbox]) { width: 100%; box-sizing: border-box; padding: .6rem; font: inherit }
fieldset { border: 1px solid #8886; border-radius: .4rem; margin: 1rem 0 }
fieldset label { margin: .3rem 0 }
button { padding: .6rem 1rem; font: inherit; margin: 1rem .6rem 0 0; cursor: pointer }
.quiet { opacity: .75; font-size: .9rem }
.refusal { border-left: .25rem solid #c33; padding-left: .8rem }
`;
const STYLE_HASH = hash('sha256', STYLE, 'base64');

export interface PageOptions {
  title: string;
  body: Html;
  status?: number;
  /** Address that answering the page's form leads to: browsers follow no other (CSP `form-action`). */
  leadsTo?: string;
  headers?: Record<string, string>;
}

/** A whole page: plain markup, no script, in nobody's frame, kept by no cache. */
export function page({ title, body, status = 200, leadsTo, headers = {} }: PageOptions): Reply {
  const targets = leadsTo === undefined ? "'self'" : `'self' ${new URL(leadsTo).origin}`;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return new Reply(status, document.text, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    ...headers,
  });
}

/** Sends the browser on with a GET, whatever it sent before. */
export const sendOn = (address: string, headers: Record<string, string> = {}): Reply =>
  new Reply(303, undefined, { location: address, 'cache-control': 'no-store', ...headers });

/** Sends the browser to the application that asked. */
export const redirectTo = (address: string): Reply =>
  new Reply(302, undefined, { location: address, 'cache-control': 'no-store' });

/** A page that says why something cannot be done. */
export const refusalPage = (status: number, title: string, reason: string): Reply =>
  page({ status, title, body: html`<p class="refusal">${reason}</p>` });

/** A field of a form that the reader does not see. */
export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

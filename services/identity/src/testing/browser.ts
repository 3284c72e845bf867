import type { Principal } from '@tributary/proto/principal.ts';
import type { TestResponse } from '@tributary/runtime/testing/service.ts';
import type { IdentityUnderTest } from './identity.ts';

/** A page as a person sees it. */
export interface Shown extends TestResponse {
  /** Where the answer sends the browser, if anywhere. */
  location: string | undefined;
}

/** A browser: keeps cookies, sends forms with their hidden fields, runs no script. */
export interface Browser {
  cookies: Map<string, string>;
  open(target: string): Promise<Shown>;
  /** Sends a form of the page; `values` are what the person fills in and the button pressed. */
  submit(page: Shown, action: string, values?: Record<string, string | string[]>): Promise<Shown>;
  /** Opens, and follows redirects inside identity. */
  follow(target: string): Promise<Shown>;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string) =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!);

export function newBrowser(identity: IdentityUnderTest): Browser {
  const cookies = new Map<string, string>();

  async function send(method: string, target: string, raw?: string): Promise<Shown> {
    const response = await identity.request(method, target, {
      raw,
      headers: {
        accept: 'text/html,application/xhtml+xml',
        ...(raw === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (line.includes('Max-Age=0')) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return { ...response, location: response.headers.get('location') ?? undefined };
  }

  const browser: Browser = {
    cookies,
    open: (target) => send('GET', target),
    submit(page, action, values = {}) {
      const fields = new URLSearchParams();
      for (const [name, value] of hiddenFields(page.body, action)) fields.append(name, value);
      for (const [name, value] of Object.entries(values)) {
        for (const one of [value].flat()) fields.append(name, one);
      }
      return send('POST', action, fields.toString());
    },
    async follow(target) {
      let page = await send('GET', target);
      while (page.location?.startsWith('/')) page = await send('GET', page.location);
      return page;
    },
  };
  return browser;
}

/** Hidden fields of the form with an action, or with a button that leads there. */
function hiddenFields(body: string, action: string): [string, string][] {
  const forms = [...body.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  const form = forms.find(([all, target]) => target === action || all.includes(`formaction="${action}"`));
  if (!form) throw new Error(`the page has no form for ${action}`);
  return [...form[2]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
    ([, name, value]) => [unescaped(name!), unescaped(value!)],
  );
}

/** A browser in which the owner of the first organization is logged in. */
export function loggedIn(identity: IdentityUnderTest): Browser {
  const browser = newBrowser(identity);
  browser.cookies.set('tributary_session', identity.first.user.session_token);
  return browser;
}

/** A fetch for clients of the issuer: resolves bearer tokens as the gateway does. */
export function gatewayFetch(identity: IdentityUnderTest): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const headers = Object.fromEntries(new Headers(init.headers));
    const bearer = /^bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1];
    const isRegistration = bearer?.startsWith('trb_crt_');
    const as: Principal | undefined = bearer && !isRegistration ? await identity.callerOf(bearer) : undefined;
    if (bearer && !isRegistration && !as) return new Response('{"error":"invalid_token"}', { status: 401 });
    const body = init.body == null ? undefined : String(init.body);
    const response = await identity.request(init.method ?? 'GET', url.pathname + url.search, {
      as,
      headers,
      raw: body,
    });
    return new Response(response.body === undefined ? null : JSON.stringify(response.body), {
      status: response.status,
      headers: response.headers,
    });
  };
}

import { type Browser, newBrowser, type Shown } from '../testing/browser.ts';
import { type IdentityUnderTest, identityUnderTest } from '../testing/identity.ts';
import { authorizeUrl, registerClient } from '../testing/oauth2.ts';

let identity: IdentityUnderTest;
beforeAll(async () => {
  identity = await identityUnderTest();
});
afterAll(() => identity?.stop());
afterEach(() => identity.clock.advance({ minutes: 2 }));

const email = 'owner@example.com';
const password = 'correct horse battery';
const isLoggedIn = (browser: Browser) => browser.cookies.has('tributary_session');

/** The mail sent last. */
const lastMail = async () =>
  (await identity.outbox()).findLast(({ topic }) => topic === 'tributary.emails')!.value as {
    to: string;
    template: string;
    data: { code: string; expires_in_minutes: number };
  };

async function askCode(address: string, target = '/v1/oauth2/login') {
  const browser = newBrowser(identity);
  const login = await browser.follow(target);
  const page = await browser.submit(login, '/v1/oauth2/login/code', { email: address });
  return { browser, page };
}

const enter = (browser: Browser, page: Shown, code: string) =>
  browser.submit(page, '/v1/oauth2/login/verify', { code });

async function logIn(address = email, target?: string) {
  const { browser, page } = await askCode(address, target);
  const shown = await enter(browser, page, (await lastMail()).data.code);
  return { browser, shown };
}

describe('by e-mailed code', () => {
  test('back to the application’s request', async () => {
    const client = await registerClient(identity);
    const { browser, shown } = await logIn(email, authorizeUrl(client));
    expect(await lastMail()).toMatchObject({
      to: email,
      template: 'login_code',
      data: { expires_in_minutes: 30 },
    });
    expect(shown.status).toBe(303);
    const consent = await browser.follow(shown.location!);
    expect(consent.body).toContain('App asks for access');
    expect(isLoggedIn(browser)).toBe(true);
  });

  test('for 31 days, with a cookie that scripts cannot read', async () => {
    const { shown, browser } = await logIn();
    const cookie = shown.headers.getSetCookie()[0]!;
    expect(cookie).toMatch(
      /^tributary_session=trb_us_\w{43}; Path=\/v1\/oauth2; Max-Age=2678400; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await browser.open('/v1/oauth2/account')).body).toContain(email);
    identity.clock.advance({ days: 31 });
    expect((await browser.open('/v1/oauth2/account')).location).toBe('/v1/oauth2/login');
  });

  test('somebody new becomes a user whose address is proven', async () => {
    await logIn('New.Person@example.org');
    const [user] = await identity.app.db.query(`select * from users where email = 'New.Person@example.org'`);
    expect(user).toMatchObject({ email_verified: true, password_hash: null });
    identity.clock.advance({ minutes: 2 });
    await logIn('new.person@EXAMPLE.org');
    const same = await identity.app.db.query(
      `select 1 from users where email ilike 'new.person@example.org'`,
    );
    expect(same).toHaveLength(1);
  });

  test('a code is good once', async () => {
    const { browser, page } = await askCode(email);
    const { code } = (await lastMail()).data;
    expect((await enter(browser, page, code)).status).toBe(303);
    expect((await enter(newBrowser(identity), page, code)).status).toBe(403);
    expect((await enter(browser, page, code)).status).toBe(422);
  });

  test('a code is good for half an hour', async () => {
    const { browser, page } = await askCode(email);
    identity.clock.advance({ minutes: 30 });
    expect((await enter(browser, page, (await lastMail()).data.code)).status).toBe(422);
  });

  test('a code can be guessed at five times, also at once', async () => {
    const { browser, page } = await askCode(email);
    const { code } = (await lastMail()).data;
    const wrong = code === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA';
    const guesses = await Promise.all(Array.from({ length: 5 }, () => enter(browser, page, wrong)));
    expect(guesses.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
    expect((await enter(browser, page, code)).status).toBe(422);
    expect(isLoggedIn(browser)).toBe(false);
  });

  test('a code of one address does not open another', async () => {
    await askCode('a@example.org');
    const { code } = (await lastMail()).data;
    const { browser, page } = await askCode('b@example.org');
    expect((await enter(browser, page, code)).status).toBe(422);
  });

  test('one mail a minute, whatever is asked', async () => {
    const mails = async () =>
      (await identity.outbox()).filter(({ topic }) => topic === 'tributary.emails').length;
    const before = await mails();
    await askCode('often@example.org');
    await askCode('often@example.org');
    expect(await mails()).toBe(before + 1);
    identity.clock.advance({ minutes: 1 });
    await askCode('often@example.org');
    expect(await mails()).toBe(before + 2);
  });

  test('the page does not tell whether somebody has the address', async () => {
    const { page: known } = await askCode(email);
    const { page: unknown } = await askCode('nobody@example.org');
    const shape = (page: Shown) => page.body.replaceAll(/value="[^"]*"|<strong>[^<]*/g, '');
    expect(shape(known)).toBe(shape(unknown));
  });
});

describe('by password', () => {
  async function setPassword(browser: Browser, values: Record<string, string>) {
    const account = await browser.open('/v1/oauth2/account');
    return browser.submit(account, '/v1/oauth2/account/password', values);
  }

  async function byPassword(proof: string, address = email) {
    const browser = newBrowser(identity);
    const login = await browser.open('/v1/oauth2/login');
    const shown = await browser.submit(login, '/v1/oauth2/login', { email: address, password: proof });
    return { browser, shown };
  }

  beforeAll(async () => {
    const { browser } = await logIn();
    const shown = await setPassword(browser, { password });
    expect(shown.body).toContain('Your password is set.');
  });

  test('the right one lets in', async () => {
    const { shown, browser } = await byPassword(password);
    expect([shown.status, shown.location, isLoggedIn(browser)]).toEqual([303, '/v1/oauth2/account', true]);
  });

  test.each([
    ['a wrong one', 'wrong horse battery', email],
    ['none', '', email],
    ['that of nobody', password, 'nobody@example.org'],
    ['one that is far too long', 'x'.repeat(5000), email],
  ])('%s does not', async (_, proof, address) => {
    const { shown, browser } = await byPassword(proof, address);
    expect([shown.status, isLoggedIn(browser)]).toEqual([422, false]);
    expect(shown.body).toContain('That is not right');
  });

  test('after ten wrong ones the right one waits, and a code still works', async () => {
    await identity.app.db.query('update users set failed_logins = 9 where email = $1', [email]);
    await byPassword('wrong horse battery');
    expect((await byPassword(password)).shown.status).toBe(422);
    expect(isLoggedIn((await logIn()).browser)).toBe(true);
    identity.clock.advance({ minutes: 15 });
    expect((await byPassword(password)).shown.status).toBe(303);
  });

  test('a change needs the current one some time after the login, and ends other logins', async () => {
    const { browser } = await byPassword(password);
    const { browser: other } = await byPassword(password);
    identity.clock.advance({ minutes: 11 });
    const next = 'another horse battery';
    const without = await setPassword(browser, { password: next });
    expect([without.status, without.body]).toEqual([
      422,
      expect.stringContaining('current password is not right'),
    ]);
    const weak = await setPassword(browser, { password: 'short', current_password: password });
    expect(weak.body).toContain('at least 12');
    expect((await setPassword(browser, { password: next, current_password: password })).status).toBe(200);
    expect((await browser.open('/v1/oauth2/account')).status).toBe(200);
    expect((await other.open('/v1/oauth2/account')).status).toBe(302);
    expect((await byPassword(password)).shown.status).toBe(422);
    expect((await byPassword(next)).shown.status).toBe(303);
  });

  test('passwords are not in the database', async () => {
    expect(JSON.stringify(await identity.app.db.query('select * from users'))).not.toContain('horse');
  });
});

describe('forms', () => {
  test('may lead to the application the login is for, and to no other', async () => {
    const policyAt = async (target: string) =>
      (await newBrowser(identity).follow(target)).headers.get('content-security-policy')!;
    const client = await registerClient(identity);
    expect(await policyAt(authorizeUrl(client))).toContain("form-action 'self' https://app.example;");
    const foreign = encodeURIComponent(authorizeUrl({ ...client, redirect_uri: 'https://evil.example' }));
    expect(await policyAt(`/v1/oauth2/login?return_to=${foreign}`)).toContain("form-action 'self';");
  });

  test.each([
    '/v1/oauth2/login',
    '/v1/oauth2/login/code',
    '/v1/oauth2/login/verify',
    '/v1/oauth2/account/password',
    '/v1/oauth2/logout',
  ])('%s from another site is refused', async (path) => {
    const isForUsers = path.includes('account') || path.includes('logout');
    const browser = isForUsers ? (await logIn()).browser : newBrowser(identity);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const form = { email, password, code: 'AAAAAA', form_token: 'f'.repeat(64) };
    expect((await identity.request('POST', path, { form, headers: { cookie } })).status).toBe(403);
  });

  test.each(['', 'nobody', `${'x'.repeat(320)}@example.com`, '<script>'])(
    '"%s" is no address',
    async (address) => {
      const browser = newBrowser(identity);
      const login = await browser.open('/v1/oauth2/login');
      const shown = await browser.submit(login, '/v1/oauth2/login', { email: address, password });
      expect([shown.status, shown.body]).toEqual([422, expect.stringContaining('Enter an e-mail address.')]);
      expect(shown.body).not.toContain('<script');
    },
  );

  test('the login leads to no other site', async () => {
    const browser = newBrowser(identity);
    const login = await browser.open('/v1/oauth2/login?return_to=https%3A%2F%2Fevil.example%2F');
    expect(login.body).not.toContain('evil.example');
  });

  test('pages are in nobody’s frame and in no cache', async () => {
    const { headers } = await newBrowser(identity).open('/v1/oauth2/login');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

test('logging out ends the session and tells who keeps its token', async () => {
  const { browser } = await logIn();
  const token = browser.cookies.get('tributary_session')!;
  const account = await browser.open('/v1/oauth2/account');
  const { token_id } = await identity.userOf(token);
  const { location } = await browser.submit(account, '/v1/oauth2/logout');
  expect(location).toBe('/v1/oauth2/login');
  expect(isLoggedIn(browser)).toBe(false);
  expect(await identity.callerOf(token)).toBeUndefined();
  expect((await identity.outbox()).at(-1)).toMatchObject({ topic: 'tributary.tokens', value: { token_id } });
});

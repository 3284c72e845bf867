import { passwordRefusal } from '../account/password-rule.ts';
import { readCookie, setCookie } from '../pages/cookies.ts';
import { safeReturn } from '../pages/form.ts';
import { html, nothing } from '../pages/html.ts';
import { hashPassword, isPassword } from '../users/password.ts';
import { afterFailedLogin, avatarFor, isLoginBlocked, newUser } from '../users/user.ts';
import { isOpen, isSendable, makeCode, readCode } from './login-code.ts';

const now = new Date('2026-01-15T12:00:00Z');
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('a password', () => {
  test('is known again by its hash, whatever way its letters were typed', async () => {
    const stored = await hashPassword('caf\u00e9 au lait, please');
    expect(stored).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    expect(await isPassword('cafe\u0301 au lait, please', stored)).toBe(true);
    expect(await isPassword('cafe au lait, please', stored)).toBe(false);
    expect(await hashPassword('caf\u00e9 au lait, please')).not.toBe(stored);
  });

  test('is never that of a user who has none', async () => {
    expect(await isPassword('', null)).toBe(false);
    expect(await isPassword('anything', undefined)).toBe(false);
  });

  test.each([
    ['correct horse battery', undefined],
    ['short', 'at least 12'],
    ['aaaaaaaaaaaaaaaa', 'repeated'],
    ['owner@example.com!', 'your address'],
    ['x'.repeat(1001), 'at most 1000'],
  ])('%s: %s', (password, reason) => {
    const refusal = passwordRefusal(password, 'Owner@example.com');
    if (reason === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toContain(reason);
  });

  test('is refused for a quarter of an hour after ten wrong ones', () => {
    let user = newUser('id', 'a@example.com', true, now);
    for (let failures = 1; failures <= 9; failures += 1) user = { ...user, ...afterFailedLogin(user, now) };
    expect(isLoginBlocked(user, now)).toBe(false);
    user = { ...user, ...afterFailedLogin(user, now) };
    expect(isLoginBlocked(user, after(899))).toBe(true);
    expect(isLoginBlocked(user, after(900))).toBe(false);
  });
});

describe('a code', () => {
  test('has six capitals or digits', () => {
    expect(makeCode()).toMatch(/^[A-Z0-9]{6}$/);
    expect(new Set(Array.from({ length: 100 }, makeCode)).size).toBe(100);
  });

  test.each([
    ['ABC123', 'ABC123'],
    [' abc 123 ', 'ABC123'],
    ['abc-123', 'ABC123'],
    ['ABC12', undefined],
    ['ABC1234', undefined],
    ['ÄBC123', undefined],
  ])('"%s" is read as %s', (text, code) => {
    expect(readCode(text)).toBe(code);
  });

  test('can be tried five times in half an hour, and sent once a minute', () => {
    const code = { email: 'a', code_hash: 'h', attempts: 0, sent_at: now, expires_at: after(1800) };
    expect([isOpen(code, after(1799)), isOpen(code, after(1800))]).toEqual([true, false]);
    expect([isOpen({ ...code, attempts: 4 }, now), isOpen({ ...code, attempts: 5 }, now)]).toEqual([
      true,
      false,
    ]);
    expect([isSendable(undefined, now), isSendable(code, after(59)), isSendable(code, after(60))]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe('pages', () => {
  test('text is escaped and markup is not', () => {
    const name = `<b>"Tom" & 'Eve'</b>`;
    expect(html`<p title="${name}">${[html`<i>${name}</i>`, nothing]}</p>`.text).toBe(
      '<p title="&lt;b&gt;&quot;Tom&quot; &amp; &#39;Eve&#39;&lt;/b&gt;">' +
        '<i>&lt;b&gt;&quot;Tom&quot; &amp; &#39;Eve&#39;&lt;/b&gt;</i></p>',
    );
  });

  test.each([
    ['a=1; b=2', 'b', '2'],
    ['a=1;b=2', 'b', '2'],
    ['b=x=y', 'b', 'x=y'],
    ['ab=2', 'b', undefined],
    ['', 'b', undefined],
    [undefined, 'b', undefined],
  ])('cookie header %s: %s is %s', (header, name, value) => {
    expect(readCookie(header, name)).toBe(value);
  });

  test('cookies are for the pages and for nobody else', () => {
    expect(setCookie('a', 'b', { maxAge: 5, isSecure: true })).toBe(
      'a=b; Path=/v1/oauth2; Max-Age=5; HttpOnly; SameSite=Lax; Secure',
    );
    expect(setCookie('a', 'b', { maxAge: 5, isSecure: false })).not.toContain('Secure');
  });

  test.each([
    ['/v1/oauth2/authorize?client_id=a', true],
    ['https://evil.example/v1/oauth2/authorize?x', false],
    ['//evil.example/v1/oauth2/authorize?x', false],
    ['/v1/oauth2/authorize', false],
    ['/v1/oauth2/authorize?a\r\nset-cookie: x', false],
    ['', false],
  ])('after the login %s may be gone to: %s', (text, isSafe) => {
    expect(safeReturn(text) !== undefined).toBe(isSafe);
  });
});

test('a picture is found by the hash of the address', () => {
  expect(avatarFor(' A@Example.com')).toBe(avatarFor('a@example.com'));
  expect(avatarFor('a@example.com')).not.toContain('a@example.com');
});

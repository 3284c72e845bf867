import { scopes } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { judgeRefresh } from './authorizations/refresh-token.ts';
import { isAnswered, mergeConsent } from './consents/consent.ts';
import { readForm } from './form.ts';
import { isProof } from './pkce.ts';
import { isRedirectUri, isRegistered, withParameters } from './redirect-uri.ts';
import { displayNameOf, parseScopes, requestableScopes, scopeDisplayNames } from './scope.ts';

describe('redirect addresses', () => {
  test.each([
    ['https://app.example/back', true],
    ['https://app.example/back?tenant=1', true],
    ['http://localhost/back', true],
    ['http://localhost:8080/back', true],
    ['http://127.0.0.1:8080/', true],
    ['http://[::1]/', true],
    ['http://app.example/back', false],
    ['http://localhost.evil.example/', false],
    ['https://app.example/#', false],
    ['https://user@app.example/', false],
    ['https://app.example/ back', false],
    ['https:\\\\app.example', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['/back', false],
    ['', false],
  ])('%s: %s', (text, isOne) => {
    expect(isRedirectUri(text)).toBe(isOne);
  });

  test.each([
    ['https://app.example/back', 'https://app.example/back', true],
    ['https://app.example/back/', 'https://app.example/back', false],
    ['https://app.example/back?x=1', 'https://app.example/back', false],
    ['https://app.example:444/back', 'https://app.example/back', false],
    ['http://localhost:9999/back', 'http://localhost/back', true],
    ['http://127.0.0.1:9999/back', 'http://127.0.0.1:1/back', true],
    ['http://127.0.0.1:9999/back', 'http://localhost/back', false],
    ['http://localhost:9999/other', 'http://localhost/back', false],
  ])('%s for %s: %s', (requested, registered, isOne) => {
    expect(isRegistered(requested, ['https://first.example', registered])).toBe(isOne);
  });

  test('parameters join those of the address', () => {
    const address = withParameters('https://app.example/back?tenant=1', { code: 'a b&c', state: undefined });
    expect(address).toBe('https://app.example/back?tenant=1&code=a+b%26c');
  });
});

describe('scopes', () => {
  test('applications may ask for all but making tokens', () => {
    expect(requestableScopes).toHaveLength(scopes.length - 2);
  });

  test('each has a name of its own', () => {
    expect(Object.keys(scopeDisplayNames)).toEqual([...scopes]);
    expect(new Set(Object.values(scopeDisplayNames)).size).toBe(scopes.length);
    expect(displayNameOf('license_keys:read')).toBe('Read license keys');
  });

  test.each([
    ['openid', ['openid']],
    ['openid  openid email', ['openid', 'email']],
    ['', []],
    ['openid nothing', undefined],
    ['OPENID', undefined],
  ])('"%s" reads as %j', (text, expected) => {
    expect(parseScopes(text, scopes)).toEqual(expected);
  });
});

describe('proof of possession', () => {
  // RFC 7636, appendix B
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

  test('the verifier of a challenge', () => {
    expect(isProof(verifier, challenge, 'S256')).toBe(true);
    expect(isProof(verifier, verifier, 'plain')).toBe(true);
  });

  test.each([
    ['another verifier', 'x'.repeat(43), 'S256'],
    ['the challenge itself', challenge, 'S256'],
    ['a short one', 'x'.repeat(42), 'plain'],
    ['a long one', 'x'.repeat(129), 'plain'],
    ['strange letters', 'é'.repeat(43), 'plain'],
  ] as const)('not %s', (_, text, method) => {
    expect(isProof(text, method === 'plain' ? text : challenge, method)).toBe(false);
  });
});

describe('a refresh token', () => {
  const now = new Date('2026-01-15T12:00:00Z');
  const token = {
    id: newId(),
    authorization_id: newId(),
    scopes: [],
    issued_at: now,
    rotated_at: null as Date | null,
    successor_id: newId(),
    sealed_successor: 'sealed' as string | null,
  };
  const ago = (ms: number) => ({ ...token, rotated_at: new Date(now.getTime() - ms) });

  test.each([
    ['not exchanged yet', token, true, 'current'],
    ['exchanged this moment', ago(0), true, 'raced'],
    ['exchanged ten seconds ago', ago(10_000), true, 'raced'],
    ['exchanged a little longer ago', ago(10_001), true, 'reused'],
    ['exchanged this moment for one that was used', ago(0), false, 'reused'],
    ['exchanged without a trace', { ...ago(0), sealed_successor: null }, true, 'reused'],
  ] as const)('%s is %4$s', (_, given, isSuccessorUnused, judgement) => {
    expect(judgeRefresh(given, isSuccessorUnused, now)).toBe(judgement);
  });
});

describe('an earlier consent', () => {
  const [one, other] = [newId(), newId()];
  const consent = {
    client_id: 'c',
    user_id: newId(),
    sub_type: 'user' as const,
    scopes: ['openid' as const, 'email' as const],
    organization_ids: null as string[] | null,
  };
  const question = {
    scopes: ['openid' as const],
    sub_type: 'user' as const,
    sub: undefined as string | undefined,
    memberships: [one, other],
  };
  const forOne = { ...consent, sub_type: 'organization' as const, organization_ids: [one] };
  const about = { ...question, sub_type: 'organization' as const };

  test('answers for the same scopes or fewer', () => {
    expect(isAnswered(consent, question)).toBe(true);
    expect(isAnswered(consent, { ...question, scopes: ['openid', 'orders:read'] })).toBe(false);
    expect(isAnswered(undefined, question)).toBe(false);
  });

  test('answers for the organization chosen then, while the user belongs to it', () => {
    expect(isAnswered(forOne, about)).toBe(true);
    expect(isAnswered(forOne, { ...about, sub: one })).toBe(true);
    expect(isAnswered(forOne, { ...about, sub: other })).toBe(false);
    expect(isAnswered(forOne, { ...about, memberships: [other] })).toBe(false);
  });

  test('grows with the same organizations and starts anew with others', () => {
    const more = { ...consent, scopes: ['orders:read' as const] };
    expect(mergeConsent(consent, more).scopes).toEqual(['openid', 'email', 'orders:read']);
    expect(mergeConsent(consent, { ...more, organization_ids: [one] }).scopes).toEqual(['orders:read']);
    expect(mergeConsent(undefined, more)).toBe(more);
  });
});

describe('a form', () => {
  test('holds each parameter once, without the empty ones', () => {
    expect([...readForm(Buffer.from('a=1&b=&c=x+y%26z'))]).toEqual([
      ['a', '1'],
      ['c', 'x y&z'],
    ]);
  });

  test.each([
    ['a parameter twice', 'a=1&a=2'],
    ['a NUL', 'a=%00'],
    ['too many parameters', Array.from({ length: 51 }, (_, index) => `p${index}=1`).join('&')],
    ['too much text', `a=${'x'.repeat(40_000)}`],
  ])('refuses %s', (_, text) => {
    expect(() => readForm(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

import { scopes } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { Principal } from '@tributary/proto/principal.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import { createSession, endSessionsOf, readSession } from '../sessions/session-calls.flow.ts';
import { type IdentityUnderTest, identityUnderTest } from '../testing/identity.ts';
import { introspectToken } from './introspect-token.flow.ts';
import { tokenPrefixes } from './token-kinds.ts';

let identity: IdentityUnderTest;
beforeAll(async () => {
  identity = await identityUnderTest();
});
afterAll(() => identity?.stop());

const introspect = (token: string) => introspectToken(identity.app, token, identity.clock.now());

describe('tokens of the first organization', () => {
  test('the organization token is its organization, with every scope', async () => {
    const { principal, expires_at } = await introspect(identity.first.organization_access_token);
    expect(Principal.parse(principal)).toEqual(principal);
    expect(principal).toMatchObject({
      kind: 'organization',
      scheme: 'oat',
      organization_id: identity.first.organization.id,
      scopes,
    });
    expect(expires_at).toBeNull();
  });

  test('the personal token is its user, who owns the organization', async () => {
    const { principal } = await introspect(identity.first.personal_access_token);
    expect(Principal.parse(principal)).toEqual(principal);
    expect(principal).toMatchObject({
      kind: 'user',
      scheme: 'pat',
      user_id: identity.first.user.id,
      organizations: [{ id: identity.first.organization.id, role: 'owner' }],
      is_limited: false,
    });
  });

  test('the browser session is its user too, for 31 days', async () => {
    const { principal, expires_at } = await introspect(identity.first.user.session_token);
    expect(principal).toMatchObject({ kind: 'user', scheme: 'oidc', client_id: null });
    expect(expires_at).toEqual(new Date(identity.clock.now().getTime() + 31 * 86_400_000));
  });
});

describe('what is no token', () => {
  test.each([
    ['nothing', ''],
    ['a word', 'token'],
    ['a token of another kind', mintToken(tokenPrefixes.client_secret)],
    ['a well-formed token that nobody was given', mintToken(tokenPrefixes.organization)],
    ['a token with a wrong checksum', `${mintToken(tokenPrefixes.organization).slice(0, -1)}_`],
    ['a very long text', 'x'.repeat(100_000)],
  ])('%s has no principal', async (_, token) => {
    expect((await introspect(token)).principal).toBeUndefined();
  });
});

describe('portal sessions', () => {
  const organization_id = newId();

  test('a customer session lasts an hour', async () => {
    const customer_id = newId();
    const session = await createSession(identity.app, {
      organization_id,
      customer_id,
      return_url: 'https://shop.example.com',
    });
    expect(session.token).toMatch(/^trb_cst_[0-9A-Za-z]{43}$/);
    const { principal, expires_at } = await introspect(session.token);
    expect(Principal.parse(principal)).toEqual(principal);
    expect(principal).toMatchObject({ kind: 'customer', customer_id, organization_id, token_id: session.id });
    expect(expires_at).toEqual(session.expires_at);
    expect(await readSession(identity.app, session.id)).toMatchObject({
      return_url: 'https://shop.example.com',
      token: '',
    });
    identity.clock.advance({ hours: 1 });
    expect((await introspect(session.token)).principal).toBeUndefined();
    await expect(readSession(identity.app, session.id)).rejects.toMatchObject({ type: { status: 404 } });
  });

  test('a member session carries the role of the member', async () => {
    const [customer_id, member_id] = [newId(), newId()];
    const { token } = await createSession(identity.app, {
      organization_id,
      customer_id,
      member_id,
      member_role: 'billing_manager',
    });
    expect(token).toMatch(/^trb_mst_/);
    const { principal } = await introspect(token);
    expect(Principal.parse(principal)).toEqual(principal);
    expect(principal).toMatchObject({ kind: 'member', customer_id, member_id, role: 'billing_manager' });
  });

  test('ending the sessions of one member leaves the others, and tells who keeps tokens', async () => {
    const [customer_id, member_id, other_id] = [newId(), newId(), newId()];
    const member = { organization_id, customer_id, member_role: 'member' };
    const one = await createSession(identity.app, { ...member, member_id });
    const other = await createSession(identity.app, { ...member, member_id: other_id });
    await endSessionsOf(identity.app, customer_id, member_id);
    expect((await introspect(one.token)).principal).toBeUndefined();
    expect((await introspect(other.token)).principal).toBeDefined();
    expect((await identity.outbox()).at(-1)).toMatchObject({
      topic: 'tributary.tokens',
      value: { token_id: one.id },
    });
    await endSessionsOf(identity.app, customer_id);
    expect((await introspect(other.token)).principal).toBeUndefined();
  });

  test.each([
    ['a malformed customer', { organization_id: newId(), customer_id: 'x' }],
    ['a member without a role', { organization_id: newId(), customer_id: newId(), member_id: newId() }],
    [
      'a role nobody has',
      { organization_id: newId(), customer_id: newId(), member_id: newId(), member_role: 'x' },
    ],
  ])('refuses %s', async (_, request) => {
    await expect(createSession(identity.app, request)).rejects.toMatchObject({ type: { status: 400 } });
  });
});

test('the stored form of a token is not the token', async () => {
  const rows = await identity.app.db.query(
    `select token_hash from organization_access_tokens union all select token_hash from personal_access_tokens
     union all select token_hash from user_sessions union all select client_secret_hash from oauth2_clients`,
  );
  expect(rows).toHaveLength(4);
  for (const { token_hash } of rows) expect(token_hash).toMatch(/^[0-9a-f]{64}$/);
});

test('a blocked organization is out of reach of every token', async () => {
  const { db } = identity.app;
  await db.query(`update organizations set status = 'blocked'`);
  expect((await introspect(identity.first.organization_access_token)).principal).toBeUndefined();
  expect(await identity.userOf(identity.first.personal_access_token)).toMatchObject({ organizations: [] });
  await db.query(`update organizations set status = 'active'`);
});

test('the last use of a token is written once a minute at most', async () => {
  const { db, lastUses } = identity.app;
  const lastUse = async () => {
    await introspect(identity.first.organization_access_token);
    await lastUses.flush(db);
    return (await db.query('select last_used_at from organization_access_tokens'))[0].last_used_at;
  };
  const first = identity.clock.now();
  expect(await lastUse()).toEqual(first);
  identity.clock.advance({ seconds: 59 });
  expect(await lastUse()).toEqual(first);
  const later = identity.clock.advance({ seconds: 1 });
  expect(await lastUse()).toEqual(later);
});

import { type BooksUnderTest, booksUnderTest } from '@tributary/runtime/testing/books.ts';
import { reconciliation } from '../reconciliation.ts';
import { type IdentityUnderTest, identityUnderTest } from '../testing/identity.ts';
import { exchange, obtainCode, refresh, registerClient } from '../testing/oauth2.ts';

let identity: IdentityUnderTest;
let books: BooksUnderTest;
beforeAll(async () => {
  identity = await identityUnderTest();
  books = booksUnderTest(identity.app.db, reconciliation, () => identity.clock.now());
  const client = await registerClient(identity);
  const { body } = await exchange(identity, client, await obtainCode(identity, client));
  await refresh(identity, client, body.refresh_token);
  identity.clock.advance({ minutes: 5 });
}, 60_000);
afterAll(() => identity?.stop());

test('an organization with an application that renews its tokens adds up', async () => {
  expect(await identity.app.db.query('select 1 from oauth2_refresh_tokens')).toHaveLength(2);
  expect(await books.broken()).toEqual([]);
});

test.each([
  [
    'an organization has lost its owner',
    'memberships',
    `update memberships set role = 'admin'`,
    ['organizations: without an owner'],
  ],
  [
    'a token outlives what it was given under',
    'oauth2_authorizations',
    'update oauth2_authorizations set revoked_at = created_at',
    ['access tokens: alive under a revoked authorization'],
  ],
  [
    'a used refresh token can be used again',
    'oauth2_refresh_tokens',
    'update oauth2_refresh_tokens set rotated_at = null',
    ['authorizations: with several refresh tokens that can be used'],
  ],
  [
    'no key signs',
    'signing_keys',
    `update signing_keys set signs_from = 'infinity'`,
    ['signing keys: one signs now, OpenID Connect'],
  ],
  [
    'a session has no end',
    'sessions',
    `insert into sessions (id, created_at, organization_id, customer_id, token_hash, expires_at)
     values (gen_random_uuid(), now(), gen_random_uuid(), gen_random_uuid(), 'x', now() + interval '1 day')`,
    ['customer sessions: longer than an hour'],
  ],
])('says so when %s', async (_what, table, sql, names) => {
  expect(await books.brokenBy(table, sql)).toEqual(names);
});

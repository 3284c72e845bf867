import { newId } from '@tributary/proto/id.ts';
import { type IdentityUnderTest, identityUnderTest } from '../testing/identity.ts';
import { createFirstOrganization, firstOrganization } from './create-first-organization.flow.ts';

let identity: IdentityUnderTest;
beforeAll(async () => {
  identity = await identityUnderTest();
});
afterAll(() => identity?.stop());

test('the first organization is active and has every feature', async () => {
  const caller = await identity.callerOf(identity.first.organization_access_token);
  const { body } = await identity.request('GET', `/v1/organizations/${identity.first.organization.id}`, {
    as: caller,
  });
  expect(body).toMatchObject({ slug: 'first-organization', status: 'active' });
  const flags = Object.entries(body.feature_settings).filter(([key]) => key.endsWith('_enabled'));
  expect(flags).toHaveLength(15);
  expect(flags.every(([, isOn]) => isOn === true)).toBe(true);
});

test('done again, it finds user and organization and replaces the secrets nobody can read back', async () => {
  const before = identity.first;
  const after = await createFirstOrganization(identity.app);
  expect(after.user.id).toBe(before.user.id);
  expect(after.organization).toEqual(before.organization);
  expect(await identity.callerOf(before.organization_access_token)).toBeUndefined();
  expect(await identity.callerOf(before.personal_access_token)).toBeUndefined();
  expect(await identity.callerOf(after.organization_access_token)).toBeDefined();
  expect(await identity.callerOf(after.personal_access_token)).toBeDefined();
  const counts = await identity.app.db.query(
    `select (select count(*) from users) as users, (select count(*) from organizations) as organizations,
            (select count(*) from oauth2_clients) as clients, (select count(*) from memberships) as memberships`,
  );
  expect(counts).toEqual([{ users: 1, organizations: 1, clients: 1, memberships: 1 }]);
});

test('names can be chosen', async () => {
  const wanted = {
    email: 'ada@example.org',
    name: 'Ada',
    slug: 'ada',
    redirect_uri: 'http://localhost:4000/back',
  };
  const credentials = await createFirstOrganization(identity.app, wanted);
  expect(credentials.user.email).toBe('ada@example.org');
  expect(credentials.organization.slug).toBe('ada');
  expect(credentials.oauth_client.redirect_uri).toBe('http://localhost:4000/back');
});

test('credentials that were kept are of use with the database they are of, and made anew with another', async () => {
  const kept = await createFirstOrganization(identity.app);
  expect(await firstOrganization(identity.app, kept)).toBe(kept);
  const stale = { ...kept, organization: { ...kept.organization, id: newId() } };
  const made = await firstOrganization(identity.app, stale);
  expect(made.organization).toEqual(kept.organization);
  expect(await identity.callerOf(made.organization_access_token)).toBeDefined();
});

import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { organizationToken, personalToken } from '@tributary/runtime/testing/principals.ts';
import { type IdentityUnderTest, identityUnderTest } from '../testing/identity.ts';

/** Organization and personal access tokens are managed alike. */

let identity: IdentityUnderTest;
let user: Principal;
let organization: Principal;
beforeAll(async () => {
  identity = await identityUnderTest();
  user = (await identity.callerOf(identity.first.personal_access_token))!;
  organization = (await identity.callerOf(identity.first.organization_access_token))!;
});
afterAll(() => identity?.stop());

const order = {
  comment: 'For the till',
  scopes: ['orders:read', 'organization_access_tokens:write', 'user:write'],
};

describe.each([
  ['organization-access-tokens', 'organization_access_token', /^trb_oat_\w{43}$/, () => organization],
  ['personal-access-tokens', 'personal_access_token', /^trb_pat_\w{43}$/, () => user],
] as const)('%s', (collection, member, shape, caller) => {
  const path = `/v1/${collection}/`;
  const create = (body: object = order, as = caller()) => identity.request('POST', path, { as, body });
  const list = async (query = '', as = caller()) =>
    (await identity.request('GET', `${path}${query}`, { as })).body;

  test('the secret is shown once and stored as a hash', async () => {
    const { status, body } = await create({ ...order, expires_in: 'P30D' });
    expect(status).toBe(201);
    expect(body.token).toMatch(shape);
    expect(body[member]).toMatchObject({
      comment: 'For the till',
      scopes: order.scopes,
      last_used_at: null,
      modified_at: null,
      expires_at: new Date(identity.clock.now().getTime() + 30 * 86_400_000).toISOString(),
    });
    expect(JSON.stringify(await list('?limit=100'))).not.toContain(body.token);
    const stored = await identity.app.db.query(`select * from ${collection.replaceAll('-', '_')}`);
    expect(JSON.stringify(stored)).not.toContain(body.token);
  });

  test('works until its end', async () => {
    const { body } = await create({ ...order, expires_in: 'PT1H' });
    expect(await identity.callerOf(body.token)).toMatchObject({ scopes: order.scopes });
    identity.clock.advance({ hours: 1 });
    expect(await identity.callerOf(body.token)).toBeUndefined();
  });

  test('changes comment and scopes, and whoever keeps the old answer is told', async () => {
    const { body } = await create();
    const one = `${path}${body[member].id}`;
    const change = { comment: 'For the other till', scopes: ['orders:read'] };
    const changed = await identity.request('PATCH', one, { as: caller(), body: change });
    expect(changed.body).toMatchObject(change);
    expect(changed.body.modified_at).not.toBeNull();
    expect(await identity.callerOf(body.token)).toMatchObject({ scopes: ['orders:read'] });
    expect((await identity.outbox()).at(-1)).toMatchObject({ value: { token_id: body[member].id } });
    const same = await identity.request('PATCH', one, {
      as: caller(),
      body: { comment: null, scopes: null },
    });
    expect(same.body).toMatchObject(change);
  });

  test('is gone at once when it is deleted', async () => {
    const { body } = await create();
    const one = `${path}${body[member].id}`;
    const deleted = await identity.request('DELETE', one, { as: caller() });
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect(await identity.callerOf(body.token)).toBeUndefined();
    expect((await identity.outbox()).at(-1)).toMatchObject({
      topic: 'tributary.tokens',
      value: { token_id: body[member].id },
    });
    expect((await identity.request('DELETE', one, { as: caller() })).status).toBe(404);
  });

  test('is listed newest first, or by what is asked', async () => {
    for (const comment of ['b', 'a', 'c']) {
      identity.clock.advance({ seconds: 1 });
      await create({ ...order, comment });
    }
    const comments = async (query: string) =>
      (await list(query)).items.map((token: { comment: string }) => token.comment);
    expect(await comments('?limit=3')).toEqual(['c', 'a', 'b']);
    const byComment = await comments('?sorting=comment&limit=100');
    expect(byComment).toEqual(byComment.toSorted());
    for (const key of ['created_at', 'expires_at', 'last_used_at']) {
      const up = (await list(`?sorting=${key}&limit=100`)).items.map(({ id }: { id: string }) => id);
      const down = (await list(`?sorting=-${key}&limit=100`)).items.map(({ id }: { id: string }) => id);
      expect(down).toEqual(up.toReversed());
    }
  });

  test('hands on no more than its maker holds', async () => {
    const as = {
      ...caller(),
      scopes: ['user:write', 'organization_access_tokens:write', 'orders:read'],
    } as Principal;
    expect((await create({ comment: 'x', scopes: ['orders:read'] }, as)).status).toBe(201);
    const { status, body } = await create({ comment: 'x', scopes: ['orders:write'] }, as);
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'scopes']]);
    const { body: made } = await create({ comment: 'x', scopes: ['orders:read'] }, as);
    const more = { scopes: ['events:write'] };
    expect((await identity.request('PATCH', `${path}${made[member].id}`, { as, body: more })).status).toBe(
      422,
    );
  });

  test.each([
    ['nothing', {}],
    ['no comment', { scopes: ['orders:read'] }],
    ['an empty comment', { ...order, comment: '' }],
    ['no scopes', { comment: 'x' }],
    ['an empty list of scopes', { comment: 'x', scopes: [] }],
    ['an unknown scope', { comment: 'x', scopes: ['everything'] }],
    ['a lifetime in words', { ...order, expires_in: 'a month' }],
    ['no lifetime at all', { ...order, expires_in: 'PT0S' }],
    ['a lifetime in seconds', { ...order, expires_in: 3600 }],
    ['a NUL', { ...order, comment: 'x\u0000' }],
    ['a list', []],
  ])('refuses %s', async (_, body) => {
    const { status, body: answer } = await create(body);
    expect([status, answer.detail[0].loc[0]]).toEqual([422, 'body']);
  });

  test.each(['?page=0', '?limit=x', '?sorting=secret'])('refuses to list with %s', async (query) => {
    expect((await identity.request('GET', `${path}${query}`, { as: caller() })).status).toBe(422);
  });

  test.each(['PATCH', 'DELETE'])('%s of somebody else’s is a 404', async (method) => {
    const { body } = await create();
    const as = member === 'personal_access_token' ? personalToken([]) : organizationToken(newId());
    const request = (id: string, by = as as Principal) =>
      identity.request(method, `${path}${id}`, { as: by, body: method === 'PATCH' ? {} : undefined });
    expect((await request(body[member].id)).status).toBe(404);
    expect((await request(newId(), caller())).status).toBe(404);
    expect((await request('x', caller())).status).toBe(422);
    expect(await identity.callerOf(body.token)).toBeDefined();
  });

  test('needs its scope', async () => {
    const as = { ...caller(), scopes: ['orders:read'] } as Principal;
    expect((await identity.request('GET', path, { as })).status).toBe(403);
    expect((await create(order, as)).status).toBe(403);
    expect((await identity.request('GET', path)).status).toBe(401);
  });
});

describe('an organization’s token', () => {
  const path = '/v1/organization-access-tokens/';
  const create = (body: object, as: Principal) => identity.request('POST', path, { as, body });

  test('made by a user names its organization', async () => {
    const organization_id = identity.first.organization.id;
    expect((await create({ ...order, organization_id }, user)).status).toBe(201);
    const without = await create(order, user);
    expect(without.body.detail).toEqual([
      { loc: ['body', 'organization_id'], msg: 'Field required', type: 'missing' },
    ]);
    const foreign = await create({ ...order, organization_id: newId() }, user);
    expect([foreign.status, foreign.body.detail[0].loc]).toEqual([422, ['body', 'organization_id']]);
  });

  test('made by an organization names none', async () => {
    const organization_id = identity.first.organization.id;
    const { status, body } = await create({ ...order, organization_id }, organization);
    expect([status, body.detail[0].type]).toEqual([422, 'organization_token']);
  });

  test('is listed by organization', async () => {
    const list = async (query: string) =>
      (await identity.request('GET', `${path}${query}`, { as: user })).body;
    const { id } = identity.first.organization;
    expect((await list(`?organization_id=${id}`)).pagination.total_count).toBeGreaterThan(0);
    expect((await list(`?organization_id=${newId()}`)).pagination.total_count).toBe(0);
  });

  test('is managed by owners and administrators only', async () => {
    const organization_id = identity.first.organization.id;
    const { body } = await create({ ...order, organization_id }, user);
    await identity.app.db.query(`update memberships set role = 'member'`);
    expect((await create({ ...order, organization_id }, user)).body.error).toBe('NotPermitted');
    const one = `${path}${body.organization_access_token.id}`;
    expect((await identity.request('DELETE', one, { as: user })).status).toBe(403);
    expect((await identity.request('PATCH', one, { as: user, body: {} })).status).toBe(403);
    await identity.app.db.query(`update memberships set role = 'owner'`);
  });
});

test('applications and organizations do not manage personal tokens', async () => {
  const path = '/v1/personal-access-tokens/';
  const application = { ...user, scheme: 'oidc', client_id: 'trb_ci_x' } as Principal;
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? order : undefined;
    expect((await identity.request(method, path, { as: application, body })).body.error).toBe('NotPermitted');
    expect((await identity.request(method, path, { as: organization, body })).status).toBe(401);
  }
});

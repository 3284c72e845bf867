import { newId } from '@tributary/proto/id.ts';
import { memberSession, organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const address = () => `m-${newId()}@example.com`;

async function team() {
  const external_id = newId();
  const owner = { email: address(), name: 'Olga', external_id: 'olga' };
  const { id } = await commerce.ok('POST', '/v1/customers/', {
    type: 'team',
    name: 'Acme',
    external_id,
    owner,
  });
  const [ownerRow] = (await commerce.ok('GET', `/v1/members/?customer_id=${id}`)).items;
  return { id, external_id, path: `/v1/customers/${id}/members`, owner: ownerRow };
}
const add = (path: string, body: object = {}) => commerce.ok('POST', path, { email: address(), ...body });
const rolesOf = async (id: string) =>
  Object.fromEntries(
    (await commerce.ok('GET', `/v1/members/?customer_id=${id}&limit=100`)).items.map(
      (member: { id: string; role: string }) => [member.id, member.role],
    ),
  );

describe('members of a team', () => {
  test('are added, read, changed and removed by id', async () => {
    const { id, path } = await team();
    await commerce.emptyOutbox();
    const email = address();
    const added = await add(path, { email, name: 'Max', external_id: 'max' });
    expect(added).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      modified_at: null,
      customer_id: id,
      email,
      name: 'Max',
      external_id: 'max',
      role: 'member',
    });
    expect(await commerce.ok('GET', `${path}/${added.id}`)).toEqual(added);
    const changed = await commerce.ok('PATCH', `${path}/${added.id}`, {
      name: 'Maxine',
      role: 'billing_manager',
    });
    expect(changed).toMatchObject({ name: 'Maxine', role: 'billing_manager', email });
    expect((await commerce.api('DELETE', `${path}/${added.id}`)).status).toBe(204);
    expect((await commerce.api('GET', `${path}/${added.id}`)).status).toBe(404);
    expect(await commerce.webhooks()).toEqual(['member.created', 'member.updated', 'member.deleted']);
    expect(await commerce.told('members.deleted')).toEqual([null]);
  });

  test('are added, read, changed and removed by external ids', async () => {
    const { external_id } = await team();
    const path = `/v1/customers/external/${external_id}/members`;
    const added = await add(path, { external_id: 'ext-1' });
    expect(await commerce.ok('GET', `${path}/ext-1`)).toEqual(added);
    expect(await commerce.ok('PATCH', `${path}/ext-1`, { name: 'X' })).toMatchObject({ name: 'X' });
    expect((await commerce.api('DELETE', `${path}/ext-1`)).status).toBe(204);
    expect((await commerce.api('GET', `${path}/ext-1`)).status).toBe(404);
  });

  test('are found when they are added again', async () => {
    const { path } = await team();
    const added = await add(path);
    const again = await commerce.api('POST', path, { email: added.email.toUpperCase(), name: 'Other' });
    expect([again.status, again.body]).toEqual([201, added]);
  });

  test('hand over ownership, and always have one owner', async () => {
    const { id, path, owner } = await team();
    const member = await add(path);
    await commerce.ok('PATCH', `${path}/${member.id}`, { role: 'owner' });
    expect(await rolesOf(id)).toEqual({ [owner.id]: 'billing_manager', [member.id]: 'owner' });
    for (const answer of [
      await commerce.api('PATCH', `${path}/${member.id}`, { role: 'member' }),
      await commerce.api('DELETE', `${path}/${member.id}`),
    ]) {
      expect(answer.status).toBe(422);
    }
    expect(await rolesOf(id)).toMatchObject({ [member.id]: 'owner' });
  });

  test('keep addresses and external ids apart', async () => {
    const { path, owner } = await team();
    const member = await add(path, { external_id: 'one' });
    const taken = await commerce.api('PATCH', `${path}/${member.id}`, { email: owner.email });
    expect([taken.status, taken.body.detail[0].loc]).toEqual([422, ['body', 'email']]);
    const sameId = await commerce.api('POST', path, { email: address(), external_id: 'one' });
    expect([sameId.status, sameId.body.detail[0].loc]).toEqual([422, ['body', 'external_id']]);
  });

  test('are refused to individual customers, and where the feature is off', async () => {
    const individual = await commerce.ok('POST', '/v1/customers/', { email: address() });
    const answer = await commerce.api('POST', `/v1/customers/${individual.id}/members`, { email: address() });
    expect([answer.status, answer.body.error]).toEqual([403, 'NotPermitted']);

    const plain = commerce.otherOrganization({ feature_settings: { member_model_enabled: false } });
    const as = organizationToken(plain.id);
    const customer = await commerce.ok('POST', '/v1/customers/', { type: 'team', email: address() }, { as });
    const off = await commerce.api(
      'POST',
      `/v1/customers/${customer.id}/members`,
      { email: address() },
      { as },
    );
    expect([off.status, off.body.error]).toEqual([403, 'NotPermitted']);
  });

  test.each<[string, object]>([
    ['email', {}],
    ['email', { email: 'nobody' }],
    ['role', { email: 'a@example.com', role: 'owner' }],
  ])('need a fitting %s: %j', async (key, body) => {
    const { path } = await team();
    const answer = await commerce.api('POST', path, body);
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', key]]);
  });

  test.each(['GET', 'PATCH', 'DELETE'])(
    '%s finds nobody of another organization or customer',
    async (method) => {
      const { path, owner } = await team();
      const other = await team();
      const body = method === 'PATCH' ? {} : undefined;
      const as = organizationToken(commerce.otherOrganization().id);
      expect((await commerce.api(method, `${path}/${owner.id}`, body, { as })).status).toBe(404);
      expect((await commerce.api(method, `${other.path}/${owner.id}`, body)).status).toBe(404);
      expect((await commerce.api(method, `${path}/${newId()}`, body)).status).toBe(404);
      expect((await commerce.api(method, `${path}/nonsense`, body)).status).toBe(422);
    },
  );
});

describe('the list of members', () => {
  test('filters by customer, external customer id and role', async () => {
    const { id, external_id, path, owner } = await team();
    const manager = await add(path, { role: 'billing_manager' });
    const ids = async (query: string) =>
      (await commerce.ok('GET', `/v1/members/?${query}`)).items.map((member: { id: string }) => member.id);
    expect(await ids(`customer_id=${id}&sorting=created_at`)).toEqual([owner.id, manager.id]);
    expect(await ids(`external_customer_id=${external_id}&role=billing_manager`)).toEqual([manager.id]);
    expect(await ids(`customer_id=${newId()}`)).toEqual([]);
    expect((await commerce.api('GET', '/v1/members/?customer_id=nonsense')).status).toBe(404);
    expect((await commerce.api('GET', '/v1/members/?role=boss')).status).toBe(422);
    const as = organizationToken(commerce.otherOrganization().id);
    expect((await commerce.ok('GET', `/v1/members/?customer_id=${id}`, undefined, { as })).items).toEqual([]);
  });
});

describe('members in the portal', () => {
  const PATH = '/v1/customer-portal/members';
  const asMember = (customerId: string, id: string, role: 'owner' | 'billing_manager' | 'member') => ({
    as: memberSession(commerce.organization.id, customerId, id, role),
  });

  test('are looked after by the owner and billing managers', async () => {
    const { id, owner } = await team();
    const asOwner = asMember(id, owner.id, 'owner');
    const added = await commerce.ok('POST', PATH, { email: address(), name: 'Max' }, asOwner);
    expect(added).toMatchObject({ name: 'Max', role: 'member' });
    expect(added).not.toHaveProperty('external_id');
    const list = await commerce.ok('GET', PATH, undefined, asOwner);
    expect(list.items.map((member: { id: string }) => member.id)).toEqual([owner.id, added.id]);
    const promoted = await commerce.ok('PATCH', `${PATH}/${added.id}`, { role: 'billing_manager' }, asOwner);
    expect(promoted.role).toBe('billing_manager');
    expect(commerce.sessions.ended).toContain(id);
    const asManager = asMember(id, added.id, 'billing_manager');
    expect((await commerce.api('GET', PATH, undefined, asManager)).status).toBe(200);
    expect((await commerce.api('DELETE', `${PATH}/${added.id}`, undefined, asOwner)).status).toBe(204);
  });

  test('are refused to plain members, to individuals and to customer sessions', async () => {
    const { id, owner } = await team();
    const refused = await commerce.api('GET', PATH, undefined, asMember(id, owner.id, 'member'));
    expect([refused.status, refused.body.error]).toEqual([403, 'NotPermitted']);
    const alone = await commerce.ok('POST', '/v1/customers/', { email: address() });
    const single = await commerce.api('GET', PATH, undefined, asMember(alone.id, newId(), 'owner'));
    expect(single.status).toBe(403);
    expect((await commerce.api('GET', PATH)).status).toBe(401);
  });

  test('cannot add somebody twice, make owners by adding, or act on themselves', async () => {
    const { id, owner } = await team();
    const asOwner = asMember(id, owner.id, 'owner');
    const { email, id: managerId } = await commerce.ok(
      'POST',
      PATH,
      { email: address(), role: 'billing_manager' },
      asOwner,
    );
    const asManager = asMember(id, managerId, 'billing_manager');
    const refusals = [
      await commerce.api('POST', PATH, { email }, asOwner),
      await commerce.api('POST', PATH, { email: address(), role: 'owner' }, asOwner),
      await commerce.api('PATCH', `${PATH}/${managerId}`, { role: 'member' }, asManager),
      await commerce.api('DELETE', `${PATH}/${managerId}`, undefined, asManager),
    ];
    expect(refusals.map(({ status, body }) => [status, body.error])).toEqual(
      refusals.map(() => [400, 'BadRequest']),
    );
    const grab = await commerce.api('PATCH', `${PATH}/${owner.id}`, { role: 'owner' }, asManager);
    expect(grab.status).toBe(403);
    expect((await commerce.api('DELETE', `${PATH}/${newId()}`, undefined, asOwner)).status).toBe(404);
  });
});

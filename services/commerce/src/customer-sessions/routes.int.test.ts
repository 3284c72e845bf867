import { newId } from '@tributary/proto/id.ts';
import { customerSession, memberSession, organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const PATH = '/v1/customer-sessions/';
const address = () => `s-${newId()}@example.com`;
const customer = (body: object = {}) => commerce.ok('POST', '/v1/customers/', { email: address(), ...body });
const team = () =>
  commerce.ok('POST', '/v1/customers/', {
    type: 'team',
    name: 'Acme',
    owner: { email: address(), external_id: 'olga' },
  });

describe('opening a session', () => {
  test('for an individual is its owner’s', async () => {
    const buyer = await customer({ external_id: newId() });
    const { external_id: external_customer_id } = buyer;
    const session = await commerce.ok('POST', PATH, {
      external_customer_id,
      return_url: 'https://shop.test/back',
    });
    expect(session).toMatchObject({
      token: expect.stringMatching(/^trb_mst_/),
      return_url: 'https://shop.test/back',
      customer_id: buyer.id,
      customer: { id: buyer.id, email: buyer.email },
      modified_at: null,
    });
    expect(session.customer_portal_url).toBe(
      `https://pay.test/${commerce.organization.slug}/portal?customer_session_token=${session.token}`,
    );
    expect(Date.parse(session.expires_at) - commerce.clock.now().getTime()).toBe(3_600_000);
  });

  test('for a team needs one of its members', async () => {
    const { id } = await team();
    const missing = await commerce.api('POST', PATH, { customer_id: id });
    expect([missing.status, missing.body.detail[0].loc]).toEqual([422, ['body', 'member_id']]);
    const [owner] = (await commerce.ok('GET', `/v1/members/?customer_id=${id}`)).items;
    for (const named of [{ member_id: owner.id }, { external_member_id: 'olga' }]) {
      await commerce.ok('POST', PATH, { customer_id: id, ...named });
      expect(commerce.sessions.minted.at(-1)).toMatchObject({ customer_id: id, member_id: owner.id });
    }
    const stranger = await commerce.api('POST', PATH, { customer_id: id, member_id: newId() });
    expect([stranger.status, stranger.body.detail[0].loc]).toEqual([422, ['body', 'member_id']]);
  });

  test('without members is the customer’s own', async () => {
    const plain = commerce.otherOrganization({ feature_settings: { member_model_enabled: false } });
    const as = organizationToken(plain.id);
    const { id } = await commerce.ok('POST', '/v1/customers/', { email: address() }, { as });
    expect((await commerce.ok('POST', PATH, { customer_id: id }, { as })).token).toMatch(/^trb_cst_/);
  });

  test.each<[string, object]>([
    ['body.customer_id', { customer_id: '0b7ba5b0-9e2b-4a7c-8a63-2f0f6f1f3c11' }],
    ['body.external_customer_id', { external_customer_id: 'nobody' }],
    ['body.customer_id', { customer_id: 'nonsense' }],
    ['body.customer_id', {}],
  ])('is a 422 at %s for %j', async (loc, body) => {
    const answer = await commerce.api('POST', PATH, body);
    expect([answer.status, answer.body.detail[0].loc.join('.')]).toEqual([422, loc]);
  });

  test('for a customer of another organization is a 422', async () => {
    const { id } = await customer();
    const as = organizationToken(commerce.otherOrganization().id);
    expect((await commerce.api('POST', PATH, { customer_id: id }, { as })).status).toBe(422);
  });
});

describe('a portal session', () => {
  test('tells when it ends and where it came from', async () => {
    const { id } = await customer();
    await commerce.ok('POST', PATH, { customer_id: id, return_url: 'https://shop.test/' });
    const minted = commerce.sessions.minted.at(-1)!;
    const as = { ...customerSession(commerce.organization.id, id), token_id: minted.id };
    const path = '/v1/customer-portal/customer-session/introspect';
    expect(await commerce.ok('GET', path, undefined, { as })).toEqual({
      expires_at: minted.expires_at.toISOString(),
      return_url: 'https://shop.test/',
    });
  });

  test('tells who it belongs to', async () => {
    const path = '/v1/customer-portal/customer-session/user';
    const buyer = await customer({ name: 'Ada' });
    const asCustomer = { as: customerSession(commerce.organization.id, buyer.id) };
    expect(await commerce.ok('GET', path, undefined, asCustomer)).toEqual({
      type: 'customer',
      name: 'Ada',
      email: buyer.email,
      customer_id: buyer.id,
      member_id: null,
      role: null,
    });
    const { id } = await team();
    const [owner] = (await commerce.ok('GET', `/v1/members/?customer_id=${id}`)).items;
    const asOwner = { as: memberSession(commerce.organization.id, id, owner.id, 'owner') };
    expect(await commerce.ok('GET', path, undefined, asOwner)).toMatchObject({
      type: 'member',
      email: owner.email,
      customer_id: id,
      member_id: owner.id,
      role: 'owner',
    });
    const gone = { as: memberSession(commerce.organization.id, id, newId(), 'owner') };
    expect((await commerce.api('GET', path, undefined, gone)).status).toBe(404);
  });

  test('is refused to merchants', async () => {
    for (const name of ['introspect', 'user']) {
      expect((await commerce.api('GET', `/v1/customer-portal/customer-session/${name}`)).status).toBe(401);
    }
  });
});

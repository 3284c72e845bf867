import { newId } from '@tributary/proto/id.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import {
  expectFields,
  expectInvalid,
  expectMerchantAccess,
  expectPaging,
  expectPortalAccess,
  expectProblem,
  listAll,
} from './expectations.ts';
import { customerFields, licenseKeyFields } from './fields.ts';
import {
  buy,
  grantsOf,
  keyOf,
  makeBenefit,
  makeCustomer,
  makeKeyBenefit,
  makePlainOrganization,
  makeProduct,
  makeTeam,
  monthly,
  perSeat,
  sessionOf,
} from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const PATH = '/v1/license-keys/';
const PORTAL = '/v1/customer-portal/license-keys/';
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 120_000);
afterAll(() => platform?.stop());

describe('updating a license key', () => {
  let key: Json;
  let benefit: Json;
  beforeAll(async () => {
    benefit = await makeKeyBenefit(platform.merchant, {
      prefix: 'TRB',
      activations: { limit: 3, enable_customer_admin: true },
    });
    await buy(platform.merchant, await makeProduct(platform.merchant, {}, [benefit.id]));
    key = await keyOf(platform.merchant, benefit.id);
  });
  const patch = (body: object) => platform.merchant.patch(PATH + key.id, body);
  const read = async () => expectStatus(await platform.merchant.get(PATH + key.id), 200);

  test('answers with every field of the key, its customer included', async () => {
    const body = {
      usage: 4,
      limit_activations: 5,
      limit_usage: 100,
      expires_at: '2030-01-02T03:04:05+01:00',
    };
    const updated = expectStatus(await patch(body), 200);
    expectFields(updated, licenseKeyFields);
    expectFields(updated.customer, customerFields);
    expect(updated).toEqual({
      ...key,
      ...body,
      expires_at: '2030-01-02T02:04:05.000Z',
      modified_at: expect.any(String),
    });
    expect(updated.key).toMatch(/^TRB-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
    expect(updated.display_key).toBe(`****-${updated.key.slice(-6)}`);
    expect(await read()).toEqual({ ...updated, activations: [] });
  });

  test('changes only what is sent; null takes limits and expiry away', async () => {
    const before = await read();
    expect(expectStatus(await patch({}), 200)).toMatchObject({
      usage: before.usage,
      limit_activations: before.limit_activations,
      limit_usage: before.limit_usage,
      expires_at: before.expires_at,
    });
    const cleared = { limit_activations: null, limit_usage: null, expires_at: null };
    expect(expectStatus(await patch(cleared), 200)).toMatchObject({ ...cleared, usage: before.usage });
  });

  test('refuses values out of bounds and of wrong types', async () => {
    for (const [name, value] of [
      ['usage', 2 ** 31],
      ['usage', 1.5],
      ['usage', '4'],
      ['limit_activations', 0],
      ['limit_activations', 2 ** 31],
      ['limit_usage', 0],
      ['limit_usage', -1],
      ['expires_at', '2030-01-02T03:04:05'],
      ['expires_at', 'tomorrow'],
      ['status', 'stolen'],
    ] as const)
      expectInvalid(await patch({ [name]: value }), ['body', name]);
    expectInvalid(await platform.merchant.patch(`${PATH}nonsense`, {}), ['path', 'id']);
  });

  test('disables it and, with its grant, revokes and grants it', async () => {
    const grant = async () =>
      expectStatus(await platform.merchant.get(`/v1/benefits/${benefit.id}/grants`), 200).items[0];
    expect(expectStatus(await patch({ status: 'disabled' }), 200).status).toBe('disabled');
    expect(await grant()).toMatchObject({ is_granted: true });
    expect(expectStatus(await patch({ status: 'revoked' }), 200).status).toBe('revoked');
    expect(await grant()).toMatchObject({ is_granted: false, is_revoked: true });
    expect(expectStatus(await patch({ status: 'granted' }), 200)).toMatchObject({
      status: 'granted',
      key: key.key,
    });
    expect(await grant()).toMatchObject({ is_granted: true, is_revoked: false });
  });

  test('of another organization or of nobody is a 404', async () => {
    const stranger = platform.merchant.as(await platform.strangerToken());
    expectProblem(await stranger.patch(PATH + key.id, { usage: 1 }), 404, 'ResourceNotFound');
    expectProblem(await platform.merchant.patch(PATH + newId(), {}), 404, 'ResourceNotFound');
  });

  test('without credentials is a 401 that says so', async () => {
    expectProblem(await platform.merchant.as(undefined).patch(PATH + key.id, {}), 401, 'Unauthorized');
  });

  test(
    'takes every merchant scheme with license_keys:write, and license_keys:read does not write',
    () =>
      expectMerchantAccess(platform, { granting: ['license_keys:write'], success: 200 }, (api) =>
        api.patch(PATH + key.id, { usage: 1 }),
      ),
    60_000,
  );
});

describe('the license keys in the portal', () => {
  let customer: Json;
  let benefits: Json[];
  let session: string;
  beforeAll(async () => {
    const { merchant } = platform;
    customer = await makeCustomer(merchant);
    benefits = await Promise.all([1, 2, 3, 4].map(() => makeKeyBenefit(merchant)));
    const product = await makeProduct(
      merchant,
      {},
      benefits.map(({ id }) => id),
    );
    await buy(merchant, product, { customer_id: customer.id, customer_email: undefined });
    await grantsOf(merchant, customer.id, 4);
    session = await sessionOf(merchant, customer.id);
  });
  const portal = () => platform.merchant.as(session);

  test('have every field, with the customer', async () => {
    const keys = await listAll(portal(), PORTAL);
    expect(keys).toHaveLength(4);
    for (const key of keys) {
      expectFields(key, licenseKeyFields);
      expectFields(key.customer, customerFields);
      expect(key).toMatchObject({
        customer_id: customer.id,
        status: 'granted',
        customer: { id: customer.id },
        organization_id: platform.organizationId,
      });
    }
  });

  test('are paged, the oldest first', async () => {
    await expectPaging(portal(), PORTAL);
    const created = (await listAll(portal(), PORTAL)).map((key) => key.created_at);
    expect(created).toEqual(created.toSorted());
  });

  test('are filtered by benefit_id', async () => {
    for (const { id } of benefits)
      expect((await listAll(portal(), `${PORTAL}?benefit_id=${id}`)).map((key) => key.benefit_id)).toEqual([
        id,
      ]);
    const [first, second] = benefits.map(({ id }) => id);
    const two = await listAll(portal(), `${PORTAL}?benefit_id=${first}&benefit_id=${second}`);
    expect(two.map((key) => key.benefit_id).toSorted()).toEqual([first, second].toSorted());
    expect(await listAll(portal(), `${PORTAL}?benefit_id=${newId()}`)).toEqual([]);
    expectInvalid(await portal().get(`${PORTAL}?benefit_id=nonsense`), ['query', 'benefit_id']);
  });

  test('are one’s own: other customers see none of them', async () => {
    const other = await makeCustomer(platform.merchant);
    const session = await sessionOf(platform.merchant, other.id);
    expect(await listAll(platform.merchant.as(session), PORTAL)).toEqual([]);
    const [{ id }] = await listAll(portal(), PORTAL);
    expectProblem(await platform.merchant.as(session).get(PORTAL + id), 404, 'ResourceNotFound');
  });

  test('of a member are those of its own seat', async () => {
    const { merchant } = platform;
    const benefit = await makeKeyBenefit(merchant);
    const product = await makeProduct(merchant, { ...monthly, prices: [perSeat(500)] }, [benefit.id]);
    const team = await makeTeam(merchant);
    const { subscription } = await buy(merchant, product, {
      customer_id: team.customer.id,
      customer_email: undefined,
      seats: 3,
      success_url: 'https://merchant.test/thanks',
    });
    const [first, second] = await Promise.all(
      ['mia@example.com', 'max@example.com'].map(async (email) =>
        expectStatus(
          await merchant.post('/v1/customer-seats', {
            subscription_id: subscription.id,
            email,
            immediate_claim: true,
          }),
          200,
        ),
      ),
    );
    const keysOf = async (member_id: string) =>
      listAll(merchant.as(await sessionOf(merchant, team.customer.id, member_id)), PORTAL);
    await eventually(async () => {
      const [mia, max] = await Promise.all([keysOf(first.member_id), keysOf(second.member_id)]);
      expect([mia.length, max.length]).toEqual([1, 1]);
      expect(mia[0].key).not.toBe(max[0].key);
    });
    expect(await keysOf(team.member.id)).toEqual([]);
  });

  test('are shown to sessions only', () => expectPortalAccess(platform, PORTAL));

  test('are shown to a customer session where the organization has no members', async () => {
    const owner = platform.merchant.as(platform.personalToken);
    const organization = await makePlainOrganization(owner);
    const own = { organization_id: organization.id };
    const benefit = await makeBenefit(owner, {
      type: 'license_keys',
      description: 'Desktop license',
      properties: {},
      ...own,
    });
    const product = await makeProduct(owner, own, [benefit.id]);
    const { customer: plain } = await buy(owner, product);
    const token = await sessionOf(owner, plain.id);
    expect(token).toMatch(/^trb_cst_/);
    expect(session).toMatch(/^trb_mst_/);
    await eventually(async () =>
      expect(await listAll(platform.merchant.as(token), PORTAL)).toMatchObject([{ benefit_id: benefit.id }]),
    );
  });
});

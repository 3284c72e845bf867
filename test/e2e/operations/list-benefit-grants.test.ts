import { newId } from '@tributary/proto/id.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import {
  expectBothFilters,
  expectFields,
  expectFilter,
  expectIdFilter,
  expectInvalid,
  expectMerchantAccess,
  expectPaging,
  expectProblem,
  listAll,
} from './expectations.ts';
import { benefitFields, customerFields, grantFields, memberFields } from './fields.ts';
import { buy, makeBenefit, makeCustomer, makeProduct, makeTeam, monthly, perSeat } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

let platform: TestPlatform;
let path: string;
let benefit: Json;
let other: Json;
let team: Json;
const seats: Json[] = [];
const buyers: Json[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  const { merchant } = platform;
  benefit = await makeBenefit(merchant);
  other = await makeBenefit(merchant);
  path = `/v1/benefits/${benefit.id}/grants`;
  const once = await makeProduct(merchant, {}, [benefit.id, other.id]);
  const plan = await makeProduct(merchant, monthly, [benefit.id]);
  const teamPlan = await makeProduct(merchant, { ...monthly, prices: [perSeat(500)] }, [benefit.id]);
  for (const product of [once, once, plan]) {
    const { id } = await makeCustomer(merchant);
    buyers.push(await buy(merchant, product, { customer_id: id, customer_email: undefined }));
  }
  team = await makeTeam(merchant);
  const bought = await buy(merchant, teamPlan, {
    customer_id: team.customer.id,
    customer_email: undefined,
    seats: 2,
    success_url: 'https://merchant.test/thanks',
  });
  for (const email of ['mia@example.com', 'max@example.com'])
    seats.push(
      expectStatus(
        await merchant.post('/v1/customer-seats', {
          subscription_id: bought.subscription.id,
          email,
          immediate_claim: true,
        }),
        200,
      ),
    );
  await eventually(async () => expect(await listAll(merchant, path)).toHaveLength(5));
  expectStatus(await merchant.delete(`/v1/subscriptions/${buyers[2].subscription.id}`), 200);
  await eventually(async () => expect(await listAll(merchant, `${path}?is_granted=false`)).toHaveLength(1));
}, 120_000);
afterAll(() => platform?.stop());

test('every field is there, with the customer, the member and the whole benefit', async () => {
  const grants = await listAll(platform.merchant, path);
  for (const grant of grants) {
    expectFields(grant, grantFields);
    expectFields(grant.customer, customerFields);
    expectFields(grant.benefit, benefitFields);
    expect(grant).toMatchObject({
      benefit_id: benefit.id,
      benefit: { type: 'custom', properties: { note: 'Write to us.' } },
      properties: {},
      error: null,
    });
    expect(grant.is_granted).toBe(!grant.is_revoked);
    expect([grant.granted_at === null, grant.revoked_at === null]).toEqual([
      grant.is_revoked,
      grant.is_granted,
    ]);
  }
  const [seated] = grants.filter((grant) => grant.member_id === seats[0].member_id);
  expectFields(seated.member, memberFields);
  expect(seated).toMatchObject({
    customer_id: team.customer.id,
    member: { email: 'mia@example.com' },
    subscription_id: seats[0].subscription_id,
    order_id: null,
  });
  const [bought] = grants.filter((grant) => grant.order_id === buyers[0].order.id);
  expect(bought).toMatchObject({ customer_id: buyers[0].customer.id, subscription_id: null });
});

test('is of one benefit only, paged, the newest first', async () => {
  await expectPaging(platform.merchant, path);
  const created = (await listAll(platform.merchant, path)).map((grant) => grant.created_at);
  expect(created).toEqual(created.toSorted().toReversed());
  expect(await listAll(platform.merchant, `/v1/benefits/${other.id}/grants`)).toHaveLength(2);
});

describe('is filtered', () => {
  test('by is_granted: true is what is granted, false what is revoked', async () => {
    const { merchant } = platform;
    await expectFilter(merchant, path, 'is_granted', ['true'], (grant) => grant.is_granted);
    const revoked = await listAll(merchant, `${path}?is_granted=false`);
    expect(revoked).toMatchObject([
      { customer_id: buyers[2].customer.id, is_revoked: true, is_granted: false },
    ]);
    expectInvalid(await merchant.get(`${path}?is_granted=maybe`), ['query', 'is_granted']);
  });

  test('by customer_id', () =>
    expectIdFilter(
      platform.merchant,
      path,
      'customer_id',
      [buyers[0].customer.id, team.customer.id],
      (grant, id) => grant.customer_id === id,
    ));

  test('by member_id', () =>
    expectIdFilter(
      platform.merchant,
      path,
      'member_id',
      seats.map((seat) => seat.member_id),
      (grant, id) => grant.member_id === id,
    ));

  test('by several filters, which must all hold', () =>
    expectBothFilters(platform.merchant, path, [
      `customer_id=${team.customer.id}`,
      `member_id=${seats[1].member_id}&is_granted=true`,
    ]));
});

test('of a benefit of another organization or of nobody is a 404, of no id a 422', async () => {
  const stranger = platform.merchant.as(await platform.strangerToken());
  expectProblem(await stranger.get(path), 404, 'ResourceNotFound');
  expectProblem(await platform.merchant.get(`/v1/benefits/${newId()}/grants`), 404, 'ResourceNotFound');
  expectInvalid(await platform.merchant.get('/v1/benefits/nonsense/grants'), ['path', 'id']);
});

test(
  'takes every merchant scheme with benefits:read or benefits:write',
  () =>
    expectMerchantAccess(platform, { granting: ['benefits:read', 'benefits:write'], success: 200 }, (api) =>
      api.get(path),
    ),
  60_000,
);

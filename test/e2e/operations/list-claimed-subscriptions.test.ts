import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import { expectFields, expectPaging, expectPortalAccess, listAll } from './expectations.ts';
import {
  portalOrganizationFields,
  portalProductFields,
  portalSubscriptionFields,
  priceFields,
  subscriptionMeterFields,
} from './fields.ts';
import {
  buy,
  makeCustomer,
  makePlainOrganization,
  makeProduct,
  makeTeam,
  monthly,
  perSeat,
  sessionOf,
} from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const PATH = '/v1/customer-portal/seats/subscriptions';
let platform: TestPlatform;
let meter: Json;
let team: Json;
let mia: string;
const subscriptions: Json[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  const { merchant } = platform;
  const owner = merchant.as(platform.personalToken);
  expectStatus(
    await owner.patch(`/v1/organizations/${platform.organizationId}`, {
      subscription_settings: {
        allow_multiple_subscriptions: true,
        proration_behavior: 'prorate',
        benefit_revocation_grace_period: 0,
        prevent_trial_abuse: false,
        allow_customer_updates: true,
      },
    }),
    200,
  );
  meter = expectStatus(
    await merchant.post('/v1/meters/', {
      name: 'calls',
      filter: { conjunction: 'and', clauses: [{ property: 'name', operator: 'eq', value: 'call' }] },
      aggregation: { func: 'count' },
    }),
    201,
  );
  const plan = await makeProduct(merchant, {
    ...monthly,
    prices: [
      perSeat(500),
      { amount_type: 'metered_unit', meter_id: meter.id, unit_amount: '0.5', price_currency: 'usd' },
    ],
  });
  team = await makeTeam(merchant);
  await eventually(async () => {
    for (let count = subscriptions.length; count < 4; count += 1) {
      const { subscription } = await buy(merchant, plan, {
        customer_id: team.customer.id,
        customer_email: undefined,
        seats: 2,
        success_url: 'https://merchant.test/thanks',
      });
      subscriptions.push(subscription);
    }
  });
  for (const { id } of subscriptions) {
    const seat = await assign(id, { email: 'mia@example.com', immediate_claim: true });
    mia = seat.member_id;
  }
}, 120_000);
afterAll(() => platform?.stop());

const assign = async (subscription_id: string, body: object): Promise<Json> =>
  expectStatus(await platform.merchant.post('/v1/customer-seats', { subscription_id, ...body }), 200);
const portalOf = async (member_id: string) =>
  platform.merchant.as(await sessionOf(platform.merchant, team.customer.id, member_id));

test('every field is there, with the product, its organization, the prices and the meters', async () => {
  const items = await listAll(await portalOf(mia), PATH);
  expect(items.map(({ id }) => id).toSorted()).toEqual(subscriptions.map(({ id }) => id).toSorted());
  for (const item of items) {
    expectFields(item, portalSubscriptionFields);
    expectFields(item.product, portalProductFields);
    expectFields(item.product.organization, portalOrganizationFields);
    expectFields(item.product.organization.organization_features, [
      'member_model_enabled',
      'checkout_localization_enabled',
    ]);
    expectFields(item.product.organization.customer_portal_settings, ['usage', 'subscription', 'customer']);
    for (const price of item.prices)
      expectFields(
        price,
        priceFields.filter((field) => field !== 'price_amount'),
      );
    expect(item.meters).toHaveLength(1);
    expectFields(item.meters[0], subscriptionMeterFields);
    expect(item.meters[0].meter).toEqual({
      id: meter.id,
      created_at: meter.created_at,
      modified_at: meter.modified_at,
      name: 'calls',
    });
    expect(item).toMatchObject({
      amount: 1_000,
      currency: 'usd',
      status: 'active',
      recurring_interval: 'month',
      recurring_interval_count: 1,
      seats: 2,
      customer_id: team.customer.id,
      pending_update: null,
      cancel_at_period_end: false,
    });
    expect(item).not.toHaveProperty('metadata');
  }
});

test('is paged, the last started first', async () => {
  const portal = await portalOf(mia);
  await expectPaging(portal, PATH);
  const started = (await listAll(portal, PATH)).map((item) => item.started_at);
  expect(started).toEqual(started.toSorted().toReversed());
});

test('holds what the caller has claimed: not what is offered, revoked or another member’s', async () => {
  const { merchant } = platform;
  const [first, second] = subscriptions;
  const offered = await assign(first.id, { email: 'max@example.com' });
  const max = await portalOf(offered.member_id);
  expect(await listAll(max, PATH)).toEqual([]);
  const invitation = await eventually(async () => invitationTo('max@example.com'));
  const claimed = expectStatus(
    await merchant.as(undefined).post('/v1/customer-seats/claim', { invitation_token: invitation }),
    200,
  );
  const claimant = merchant.as(claimed.customer_session_token);
  expect((await listAll(claimant, PATH)).map(({ id }) => id)).toEqual([first.id]);
  const seat = await assign(second.id, { email: 'max@example.com', immediate_claim: true });
  expect(await listAll(claimant, PATH)).toHaveLength(2);
  expectStatus(await merchant.delete(`/v1/customer-seats/${seat.id}`), 200);
  expect((await listAll(max, PATH)).map(({ id }) => id)).toEqual([first.id]);
  expect(await listAll(await portalOf(team.member.id), PATH)).toEqual([]);
  const stranger = await makeTeam(merchant);
  const other = merchant.as(await sessionOf(merchant, stranger.customer.id, stranger.member.id));
  expect(await listAll(other, PATH)).toEqual([]);
});

test('is empty for a customer session: its customer has no members, so nobody claims a seat', async () => {
  const owner = platform.merchant.as(platform.personalToken);
  const organization = await makePlainOrganization(owner);
  const customer = await makeCustomer(owner, { organization_id: organization.id });
  const token = await sessionOf(owner, customer.id);
  expect(token).toMatch(/^trb_cst_/);
  expect(expectStatus(await owner.as(token).get(PATH), 200)).toEqual({
    items: [],
    pagination: { total_count: 0, max_page: 0 },
  });
});

test('is shown to sessions only', () => expectPortalAccess(platform, PATH));

/** The invitation in the mails to an address. */
function invitationTo(address: string): string {
  for (const file of readdirSync(platform.mailFolder)) {
    const mail = readFileSync(join(platform.mailFolder, file), 'utf8')
      .replaceAll('=\r\n', '')
      .replaceAll('=3D', '=');
    const token = /invitation_token=([\w-]+)/.exec(mail)?.[1];
    if (mail.includes(address) && token) return token;
  }
  throw new Error(`no invitation to ${address}`);
}

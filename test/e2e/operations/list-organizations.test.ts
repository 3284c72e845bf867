import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import {
  expectFields,
  expectInvalid,
  expectMerchantAccess,
  expectPaging,
  expectSorting,
  listAll,
} from './expectations.ts';
import { organizationFields, organizationObjects } from './fields.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const PATH = '/v1/organizations/';
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  const owner = platform.merchant.as(platform.personalToken);
  for (const [slug, name] of [
    ['zebra', 'analytics'],
    ['apple', 'zoology'],
    ['mango', 'botany'],
    ['lemon', 'botany'],
  ])
    expectStatus(
      await owner.post(PATH, { slug, name, socials: [{ platform: 'github', url: 'https://github.com/x' }] }),
      201,
    );
}, 120_000);
afterAll(() => platform?.stop());

const owner = () => platform.merchant.as(platform.personalToken);

test('every field is there, with every member of the settings', async () => {
  const [organization] = await listAll(owner(), `${PATH}?slug=zebra`);
  expectFields(organization, organizationFields);
  for (const [name, members] of Object.entries(organizationObjects)) {
    expectFields(organization[name], members);
    if (name !== 'customer_portal_settings' && name !== 'dispute_settings')
      for (const member of members)
        expect([name, member, typeof organization[name][member]]).toEqual([
          name,
          member,
          member === 'overview_metrics'
            ? 'object'
            : member === 'benefit_revocation_grace_period'
              ? 'number'
              : 'boolean',
        ]);
  }
  expect(organization).toMatchObject({
    slug: 'zebra',
    name: 'analytics',
    socials: [{ url: 'https://github.com/x' }],
    customer_portal_settings: {
      usage: { show: true },
      subscription: { update_seats: true, update_plan: true, pause: false },
      customer: { allow_email_change: false },
    },
    default_presentment_currency: 'usd',
    embed_hosts: [],
    status: 'active',
  });
  expect(typeof organization.dispute_settings.auto_accept_below_amount).toMatch(/number|object/);
  expect(organization).toEqual(expectStatus(await owner().get(`${PATH}${organization.id}`), 200));
});

test('holds all of a user’s organizations, and an organization token’s own', async () => {
  expect((await listAll(owner(), PATH)).map(({ slug }: Json) => slug)).toHaveLength(5);
  const own = await listAll(platform.merchant, PATH);
  expect(own.map(({ id }: Json) => id)).toEqual([platform.organizationId]);
  expect(await listAll(platform.merchant, `${PATH}?slug=zebra`)).toEqual([]);
});

test('is paged, the oldest first unless sorted otherwise', async () => {
  await expectPaging(owner(), PATH);
  const slugs = (await listAll(owner(), PATH)).map(({ slug }: Json) => slug);
  expect(slugs).toEqual(['first-organization', 'zebra', 'apple', 'mango', 'lemon']);
});

test('is sorted by each of the five keys, both ways', () =>
  expectSorting(owner(), PATH, {
    created_at: (item) => item.created_at,
    slug: (item) => item.slug,
    name: (item) => item.name,
    // No organization is under review here.
    next_review_threshold: () => null,
    // None has changed its status, so the youngest has had it for the shortest time.
    days_in_status: (item) => -Date.parse(item.created_at),
  }));

test('is filtered by slug', async () => {
  const slugs = async (query: string) => (await listAll(owner(), PATH + query)).map(({ slug }: Json) => slug);
  expect(await slugs('?slug=apple')).toEqual(['apple']);
  expect(await slugs('?slug=app')).toEqual([]);
  expect(await slugs('?slug=nobody')).toEqual([]);
  expectInvalid(await owner().get(`${PATH}?slug=apple&slug=mango`), ['query', 'slug']);
});

test(
  'takes every merchant scheme with organizations:read or organizations:write',
  () =>
    expectMerchantAccess(
      platform,
      { granting: ['organizations:read', 'organizations:write'], success: 200 },
      (api) => api.get(PATH),
    ),
  60_000,
);

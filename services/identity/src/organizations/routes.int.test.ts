import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import {
  customerSession,
  nobody,
  organizationToken,
  personalToken,
} from '@tributary/runtime/testing/principals.ts';
import { type IdentityUnderTest, identityUnderTest } from '../testing/identity.ts';

let identity: IdentityUnderTest;
let owner: Principal;
let ownToken: Principal;
let own: string;
let path: string;
beforeAll(async () => {
  identity = await identityUnderTest();
  owner = (await identity.callerOf(identity.first.personal_access_token))!;
  ownToken = (await identity.callerOf(identity.first.organization_access_token))!;
  own = identity.first.organization.id;
  path = `/v1/organizations/${own}`;
});
afterAll(() => identity?.stop());

const create = (body: object, as: Principal = owner) =>
  identity.request('POST', '/v1/organizations/', { as, body });
const update = (body: unknown, as: Principal = owner) => identity.request('PATCH', path, { as, body });
const list = async (query = '', as: Principal = owner) =>
  (await identity.request('GET', `/v1/organizations/${query}`, { as })).body;
const slugs = async (query = '', as: Principal = owner) =>
  (await list(query, as)).items.map((organization: { slug: string }) => organization.slug);

describe('create', () => {
  test('makes its maker the owner, and it is seen at once with the same token', async () => {
    const { status, body } = await create({ name: 'Bolt', slug: 'bolt' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Bolt',
      slug: 'bolt',
      status: 'active',
      modified_at: null,
      proration_behavior: 'prorate',
      allow_customer_updates: true,
      embed_hosts_enforced: false,
      account_id: null,
      capabilities: { checkout_payments: true, api_access: true },
    });
    expect((await identity.request('GET', `/v1/organizations/${body.id}`, { as: owner })).status).toBe(200);
    const rest = { name: 'Changed name' };
    const changed = await identity.request('PATCH', `/v1/organizations/${body.id}`, {
      as: owner,
      body: rest,
    });
    expect(changed.status).toBe(200);
  });

  test('publishes it and makes others ask again about the maker', async () => {
    const { body } = await create({ name: 'Crane', slug: 'crane' });
    const outbox = await identity.outbox();
    const state = outbox.find((message) => message.key === body.id);
    expect(state).toMatchObject({
      topic: stateTopics.organizations.name,
      value: {
        ...body,
        organization_features: { member_model_enabled: true, checkout_localization_enabled: false },
      },
    });
    expect(outbox.at(-1)).toMatchObject({ topic: 'tributary.tokens' });
  });

  test('starts with access only where it is for real', async () => {
    const production = await identityUnderTest({ environment: 'production' });
    const as = await production.userOf(production.first.personal_access_token);
    const { body } = await production.request('POST', '/v1/organizations/', {
      as,
      body: { name: 'Real', slug: 'real' },
    });
    expect(body).toMatchObject({
      status: 'created',
      capabilities: { checkout_payments: false, api_access: true },
    });
    await production.stop();
  });

  test('takes every setting', async () => {
    const settings = {
      avatar_url: 'https://drill.example/logo.png',
      legal_entity: { type: 'company', registered_name: 'Drill Ltd' },
      email: 'hi@drill.example',
      website: 'https://drill.example',
      socials: [{ platform: 'github', url: 'https://github.com/drill' }],
      details: { product_description: 'Holes', selling_categories: ['hardware'], switching: true },
      country: 'DE',
      feature_settings: { checkout_localization_enabled: true },
      default_presentment_currency: 'eur',
      default_tax_behavior: 'inclusive',
    };
    const { status, body } = await create({ name: 'Drill', slug: 'Drill', ...settings });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      slug: 'drill',
      country: 'DE',
      default_tax_behavior: 'inclusive',
      socials: settings.socials,
      details_submitted_at: body.created_at,
    });
    expect(body).not.toHaveProperty('details');
    expect(body).not.toHaveProperty('legal_entity');
  });

  test('refuses a slug that is taken', async () => {
    await create({ name: 'Edge', slug: 'edge' });
    const { status, body } = await create({ name: 'Other', slug: 'edge' });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'slug']]);
  });

  test('an organization token cannot make one', async () => {
    const { status, body } = await create({ name: 'Fan', slug: 'fan' }, ownToken);
    expect([status, body.error]).toEqual([401, 'Unauthorized']);
  });

  test('a token limited to some organizations cannot make another', async () => {
    const limited = { ...personalToken([own]), is_limited: true };
    const { status, body } = await create({ name: 'Fan', slug: 'fan' }, limited);
    expect([status, body.error]).toEqual([403, 'CannotCreateOrganizationError']);
  });

  test.each([
    ['nothing', {}, ['name', 'slug']],
    ['a short name', { name: 'ab', slug: 'abc' }, ['name']],
    ['a name of spaces', { name: '      ', slug: 'abc' }, ['name']],
    ['a short slug', { name: 'abc', slug: 'ab' }, ['slug']],
    ['a long slug', { name: 'abc', slug: 'a'.repeat(65) }, ['slug']],
    ['a slug with a space', { name: 'abc', slug: 'a bc' }, ['slug']],
    ['a reserved slug', { name: 'abc', slug: 'Dashboard' }, ['slug']],
    [
      'a currency nobody pays in',
      { name: 'abc', slug: 'abc', default_presentment_currency: 'USD' },
      ['default_presentment_currency'],
    ],
    ['a country nobody sells from', { name: 'abc', slug: 'abc', country: 'KP' }, ['country']],
    ['a script for a website', { name: 'abc', slug: 'abc', website: 'javascript:alert(1)' }, ['website']],
    ['no e-mail address', { name: 'abc', slug: 'abc', email: 'nobody' }, ['email']],
    [
      'half of the settings',
      { name: 'abc', slug: 'abc', subscription_settings: { prevent_trial_abuse: true } },
      undefined,
    ],
    ['a legal entity of no kind', { name: 'abc', slug: 'abc', legal_entity: { type: 'ghost' } }, undefined],
    ['a NUL', { name: 'abc\u0000', slug: 'abc' }, ['name']],
    ['a list', [], undefined],
    ['a text', 'organization', undefined],
    ['null', null, undefined],
  ])('refuses %s', async (_, body, fields) => {
    const { status, body: answer } = await create(body as object);
    expect(status).toBe(422);
    const locations = answer.detail.map((issue: { loc: string[] }) => issue.loc);
    if (fields) expect(locations).toEqual(fields.map((field) => ['body', field]));
    else expect(locations[0][0]).toBe('body');
  });
});

describe('read', () => {
  test('by organization token and by user', async () => {
    for (const as of [ownToken, owner]) {
      const { status, body } = await identity.request('GET', path, { as });
      expect([status, body.id]).toEqual([200, own]);
    }
  });

  test.each([
    ['an id of nothing', newId(), 404],
    ['a malformed id', 'first-organization', 422],
  ])('%s is a %s', async (_, id, expected) => {
    expect((await identity.request('GET', `/v1/organizations/${id}`, { as: owner })).status).toBe(expected);
  });

  test.each<[string, () => Principal, number]>([
    ['nobody', () => nobody, 401],
    ['a customer', () => customerSession(own, newId()), 401],
    ['a token for something else', () => organizationToken(own, ['orders:read']), 403],
    ["another organization's token", () => organizationToken(newId()), 404],
    ['a user who is no member', () => personalToken([]), 404],
  ])('by %s is refused', async (_, as, expected) => {
    expect((await identity.request('GET', path, { as: as() })).status).toBe(expected);
    if (expected !== 403) expect((await update({ name: 'Stolen' }, as())).status).toBe(expected);
  });

  test('reading needs read or write, writing needs write', async () => {
    const reader = organizationToken(own, ['organizations:read']);
    const writer = organizationToken(own, ['organizations:write']);
    expect((await identity.request('GET', path, { as: writer })).status).toBe(200);
    expect((await update({}, reader)).status).toBe(403);
    expect((await update({}, writer)).status).toBe(200);
  });
});

describe('update', () => {
  test('changes what it names, tells other services and webhook endpoints', async () => {
    const { status, body } = await update({
      name: 'First, renamed',
      embed_hosts: ['https://Shop.example.com'],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'First, renamed', embed_hosts: ['shop.example.com'] });
    expect(body.modified_at).not.toBeNull();
    const [state, webhook] = (await identity.outbox()).slice(-2);
    expect(state).toMatchObject({ topic: stateTopics.organizations.name, key: own });
    expect(webhook).toMatchObject({
      topic: 'tributary.webhooks',
      type: 'organization.updated',
      value: { organization_id: own, data: body },
    });
  });

  test('mirrors two settings at the top', async () => {
    const subscription_settings = {
      allow_multiple_subscriptions: true,
      proration_behavior: 'next_period',
      benefit_revocation_grace_period: 3,
      prevent_trial_abuse: false,
      allow_customer_updates: true,
    };
    const customer_portal_settings = {
      usage: { show: false },
      subscription: { update_seats: false, update_plan: false },
    };
    const { body } = await update({ subscription_settings, customer_portal_settings });
    expect(body).toMatchObject({
      proration_behavior: 'next_period',
      allow_customer_updates: false,
      subscription_settings,
      customer_portal_settings: {
        usage: { show: false },
        subscription: { update_seats: false, update_plan: false, pause: false },
        customer: { allow_email_change: false },
      },
    });
  });

  test('an empty change is a change', async () => {
    expect((await update({})).status).toBe(200);
  });

  test('a member without administration may read and not write', async () => {
    const { user_id } = await identity.userOf(identity.first.personal_access_token);
    await identity.app.db.query(`update memberships set role = 'member' where organization_id = $1`, [own]);
    const { status, body } = await update({ name: 'Mine' });
    expect([status, body.error]).toEqual([403, 'NotPermitted']);
    expect((await identity.request('GET', path, { as: owner })).status).toBe(200);
    await identity.app.db.query(`update memberships set role = 'owner' where user_id = $1`, [user_id]);
  });

  test('single sign-on without a connection is a conflict', async () => {
    const { status, body } = await update({ sso_enforced: true });
    expect([status, body.error]).toEqual([409, 'SSOEnforcementRequiresConnection']);
  });

  test('disputes are accepted by themselves only with the feature', async () => {
    const created = await create({ name: 'Gate', slug: 'gate' });
    const { status, body } = await identity.request('PATCH', `/v1/organizations/${created.body.id}`, {
      as: owner,
      body: { dispute_settings: { auto_accept_below_amount: 100 } },
    });
    expect([status, body.error]).toEqual([403, 'DisputeAutoAcceptNotEnabled']);
    const accepted = await update({ dispute_settings: { auto_accept_below_amount: 10_000 } });
    expect(accepted.body.dispute_settings).toEqual({ auto_accept_below_amount: 10_000 });
  });

  test('the default currency waits for a price in it of every active product', async () => {
    const product = { id: newId(), organization_id: own, is_archived: false };
    const tell = (value: object | null) =>
      identity.deliver({
        topic: stateTopics.products.name,
        type: 'products.changed',
        key: product.id,
        value,
      });
    const euro = () => update({ default_presentment_currency: 'eur' });
    await tell({ ...product, prices: [{ price_currency: 'usd' }] });
    const refused = await euro();
    expect([refused.status, refused.body.detail[0].loc]).toEqual([
      422,
      ['body', 'default_presentment_currency'],
    ]);
    await tell({ ...product, prices: [{ price_currency: 'usd' }, { price_currency: 'eur' }] });
    expect((await euro()).status).toBe(200);
    await tell({ ...product, prices: [{ price_currency: 'usd' }] });
    await tell({ ...product, is_archived: true, prices: [] });
    expect((await update({ default_presentment_currency: 'gbp' })).status).toBe(200);
    await tell({ ...product, prices: [{ price_currency: 'usd' }] });
    await tell(null);
    expect((await update({ default_presentment_currency: 'usd' })).status).toBe(200);
  });

  test.each([
    ['a short name', { name: 'x' }],
    ['a switch that is no switch', { feature_settings: { member_model_enabled: 'yes' } }],
    [
      'a negative grace period',
      { subscription_settings: { ...subscription(), benefit_revocation_grace_period: -1 } },
    ],
    [
      'a behaviour for one update only',
      { subscription_settings: { ...subscription(), proration_behavior: 'reset' } },
    ],
    ['too high a limit', { dispute_settings: { auto_accept_below_amount: 10_001 } }],
    ['a limit of nothing', { dispute_settings: { auto_accept_below_amount: 0 } }],
    ['a host that is none', { embed_hosts: ['not a host'] }],
    ['too many hosts', { embed_hosts: Array(101).fill('example.com') }],
    ['a tax behaviour of no kind', { default_tax_behavior: 'sometimes' }],
    ['part of the mail settings', { customer_email_settings: { order_confirmation: true } }],
    ['a list', []],
    ['a number', 5],
  ])('refuses %s', async (_, body) => {
    const { status, body: answer } = await update(body);
    expect([status, answer.detail[0].loc[0]]).toEqual([422, 'body']);
  });

  test('refuses broken JSON', async () => {
    const { status, body } = await identity.request('PATCH', path, { as: owner, raw: '{"name": ' });
    expect([status, body.detail[0].type]).toEqual([422, 'json_invalid']);
  });
});

describe('list', () => {
  test('holds what the caller reaches: oldest first', async () => {
    expect(await slugs('', ownToken)).toEqual(['first-organization']);
    const all = await slugs();
    expect(all[0]).toBe('first-organization');
    expect(all).toContain('bolt');
    expect(await slugs('', personalToken([own]))).toEqual([]);
  });

  test('by slug', async () => {
    expect(await slugs('?slug=bolt')).toEqual(['bolt']);
    expect(await slugs('?slug=nobody')).toEqual([]);
    expect(await slugs('?slug=bolt', ownToken)).toEqual([]);
  });

  test.each([
    ['slug', 'slug'],
    ['name', 'name'],
    ['created_at', 'created_at'],
    ['next_review_threshold', 'next_review_threshold'],
    ['days_in_status', 'status_changed_at desc'],
  ])('by %s in both directions', async (key, order) => {
    const { db } = identity.app;
    await db.query(
      `update organizations set name = md5(slug), next_review_threshold = ascii(slug),
         created_at = created_at - length(md5(slug || 'a')::text) * interval '1 hour' - ascii(md5(slug)) * interval '1 minute',
         status_changed_at = timestamptz '2026-01-01' - ascii(slug) * interval '1 day'`,
    );
    const rows: { slug: string }[] = await db.query(`select slug from organizations order by ${order}, id`);
    const up = await slugs(`?sorting=${key}&limit=100`);
    expect(up).toEqual(rows.map((row) => row.slug));
    expect(await slugs(`?sorting=-${key}&limit=100`)).toEqual(up.toReversed());
  });

  test('the status that changed last comes first, and pages do not overlap', async () => {
    expect((await slugs('?sorting=days_in_status'))[0]).toBe('bolt');
    const pages = await Promise.all(
      [1, 2, 3, 4, 5].map((page) => slugs(`?limit=1&page=${page}&sorting=name`)),
    );
    expect(pages.flat()).toEqual(await slugs('?sorting=name&limit=5'));
  });

  test('tells how many there are', async () => {
    const { pagination } = await list('?limit=2');
    expect(pagination.max_page).toBe(Math.ceil(pagination.total_count / 2));
    expect((await list('?limit=1000')).items).toHaveLength(pagination.total_count);
    expect((await list('?page=1000')).items).toEqual([]);
  });

  test.each(['?page=0', '?limit=0', '?limit=x', '?sorting=secret', '?page=-1'])(
    '%s is refused',
    async (query) => {
      const { status, body } = await identity.request('GET', `/v1/organizations/${query}`, { as: owner });
      expect([status, body.detail[0].loc[0]]).toEqual([422, 'query']);
    },
  );
});

function subscription() {
  return {
    allow_multiple_subscriptions: false,
    proration_behavior: 'prorate',
    benefit_revocation_grace_period: 0,
    prevent_trial_abuse: false,
    allow_customer_updates: true,
  };
}

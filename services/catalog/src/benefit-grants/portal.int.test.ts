import { newId } from '@tributary/proto/id.ts';
import { customerSession, memberSession } from '@tributary/runtime/testing/principals.ts';
import { type CatalogUnderTest, catalogUnderTest } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
afterAll(() => catalog.stop());

const PATH = '/v1/customer-portal/benefit-grants/';
const portal = (customer: { id: string }, path = '', method = 'GET', body?: object) =>
  catalog.api(method, PATH + path, body, { as: customerSession(catalog.organization.id, customer.id) });

test('a customer sees what is public and not revoked, in the order of the product', async () => {
  const [note, flag, draft, keys] = [
    await catalog.benefit('custom', { note: 'Call us' }, { description: 'Support' }),
    await catalog.benefit('feature_flag'),
    await catalog.benefit('custom', {}, { visibility: 'draft' }),
    await catalog.benefit('license_keys', {}, { description: 'Keys' }),
  ];
  const product = await catalog.product({}, [keys, flag, draft, note]);
  const customer = catalog.customer();
  const checkout_id = newId();
  const subscription = await catalog.subscribe(product.id, customer.id, { checkout_id });
  const { body } = await portal(customer);
  expect(body.pagination).toEqual({ total_count: 2, max_page: 1 });
  const {
    customer_portal_settings,
    feature_settings,
    subscription_settings,
    default_presentment_currency,
    ...shown
  } = catalog.organization;
  const { visibility, metadata, visibility_configurable, ...visible } = note;
  expect(body.items[1]).toEqual({
    id: expect.any(String),
    created_at: expect.any(String),
    modified_at: null,
    granted_at: expect.any(String),
    is_granted: true,
    revoked_at: null,
    is_revoked: false,
    subscription_id: subscription.id,
    order_id: null,
    customer_id: customer.id,
    member_id: null,
    benefit_id: note.id,
    error: null,
    customer: {
      id: customer.id,
      created_at: customer.created_at,
      modified_at: null,
      email: customer.email,
      email_verified: false,
      name: 'Ada',
      billing_name: 'Ada',
      billing_address: null,
      tax_id: null,
      oauth_accounts: {},
      default_payment_method_id: null,
      type: 'individual',
      locale: null,
    },
    benefit: { ...visible, organization: shown },
    properties: {},
  });
  const types = async (query: string) =>
    (await portal(customer, `?${query}`)).body.items.map(
      (item: { benefit: { type: string } }) => item.benefit.type,
    );
  expect(await types('')).toEqual(['license_keys', 'custom']);
  expect(await types('sorting=type')).toEqual(['custom', 'license_keys']);
  expect(await types('sorting=-product_benefit')).toEqual(['custom', 'license_keys']);
  expect(await types('sorting=organization&sorting=-granted_at')).toHaveLength(2);
  expect(await types('query=UPP')).toEqual(['custom']);
  expect(await types('type=license_keys')).toEqual(['license_keys']);
  expect(await types(`benefit_id=${note.id}`)).toEqual(['custom']);
  expect(await types(`subscription_id=${subscription.id}`)).toHaveLength(2);
  expect(await types(`checkout_id=${checkout_id}`)).toHaveLength(2);
  expect(await types(`checkout_id=${newId()}`)).toEqual([]);
  expect(await types(`order_id=${newId()}`)).toEqual([]);
  expect(await types(`member_id=${newId()}`)).toEqual([]);
  const [, grant] = body.items;
  expect((await portal(customer, grant.id)).body).toEqual(grant);
  expect((await portal(catalog.customer(), grant.id)).status).toBe(404);
  expect((await portal(customer, newId())).status).toBe(404);
  await catalog.publish('subscriptions', subscription.id, { ...subscription, status: 'canceled' });
  expect((await portal(customer)).body.items).toEqual([]);
  expect((await portal(customer, grant.id)).status).toBe(404);
  expect([
    customer_portal_settings,
    feature_settings,
    subscription_settings,
    default_presentment_currency,
  ]).toHaveLength(4);
  expect([visibility, metadata, visibility_configurable]).toEqual(['public', {}, true]);
});

test('there is nothing to change on a benefit that needs nothing', async () => {
  const benefit = await catalog.benefit('custom');
  const product = await catalog.product({ recurring_interval: null }, [benefit]);
  const customer = catalog.customer();
  await catalog.buy(product.id, customer.id);
  const [grant] = (await portal(customer)).body.items;
  const patch = (body: object) => portal(customer, grant.id, 'PATCH', body);
  expect((await patch({ benefit_type: 'custom' })).body).toEqual(grant);
  expect((await patch({ benefit_type: 'license_keys' })).body.detail[0].loc).toEqual([
    'body',
    'benefit_type',
  ]);
  expect((await patch({ benefit_type: 'discord', properties: { account_id: 'x' } })).status).toBe(422);
});

test('members see what they hold, and the owner what nobody else does', async () => {
  const benefit = await catalog.benefit('custom');
  const product = await catalog.product({}, [benefit]);
  const customer = catalog.customer({ type: 'team' });
  const [ada, bob] = [catalog.member(customer), catalog.member(customer)];
  await catalog.subscribe(product.id, customer.id);
  const seats = await catalog.subscribe(product.id, customer.id, { seats: 3 });
  await catalog.publish('customer_seats', newId(), {
    id: newId(),
    status: 'claimed',
    subscription_id: seats.id,
    product_id: product.id,
    customer_id: customer.id,
    member_id: ada.id,
  });
  const holders = async (member: { id: string }, role: 'owner' | 'member') => {
    const as = memberSession(catalog.organization.id, customer.id, member.id, role);
    const { body } = await catalog.api('GET', PATH, undefined, { as });
    return body.items.map((item: { member_id: string | null }) => item.member_id);
  };
  expect(await holders(ada, 'member')).toEqual([ada.id]);
  expect(await holders(bob, 'member')).toEqual([]);
  expect(await holders(bob, 'owner')).toEqual([null]);
  expect((await portal(customer)).body.items).toHaveLength(2);
});

test('the page of an organization shows what it offers to everybody', async () => {
  const benefit = await catalog.benefit('custom');
  const flag = await catalog.benefit('feature_flag');
  const shown = await catalog.product({ metadata: { secret: 'yes' } }, [benefit, flag]);
  await catalog.product({ visibility: 'private' });
  const archived = await catalog.product();
  await catalog.api('PATCH', `/v1/products/${archived.id}`, { is_archived: true });
  const path = `/v1/customer-portal/organizations/${catalog.organization.slug}`;
  const { status, body } = await catalog.request('GET', path);
  expect(status).toBe(200);
  expect(body.organization).toEqual({
    id: catalog.organization.id,
    created_at: catalog.organization.created_at,
    modified_at: null,
    name: 'Acme',
    slug: catalog.organization.slug,
    avatar_url: null,
    proration_behavior: 'prorate',
    allow_customer_updates: true,
    customer_portal_settings: catalog.organization.customer_portal_settings,
    organization_features: { member_model_enabled: true, checkout_localization_enabled: false },
  });
  const ids = body.products.map((product: { id: string }) => product.id);
  expect(ids).toContain(shown.id);
  expect(ids).not.toContain(archived.id);
  const product = body.products.find((item: { id: string }) => item.id === shown.id);
  expect(product).not.toHaveProperty('metadata');
  expect(product.benefits).toMatchObject([{ id: benefit.id }]);
  expect(product.benefits[0]).not.toHaveProperty('properties');
  const unknown = await catalog.request('GET', '/v1/customer-portal/organizations/nobody');
  expect([unknown.status, unknown.body.error]).toEqual([404, 'ResourceNotFound']);
});

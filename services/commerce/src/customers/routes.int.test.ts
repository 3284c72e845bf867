import { newId } from '@tributary/proto/id.ts';
import { organizationToken, personalToken } from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed } from '../testing/copies.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const address = () => `c-${newId()}@example.com`;
const create = (body: object = {}) => commerce.ok('POST', '/v1/customers/', { email: address(), ...body });
const issueOf = (answer: { status: number; body: { detail: { loc: string[] }[] } }) => [
  answer.status,
  answer.body.detail[0]?.loc.join('.'),
];

describe('creating a customer', () => {
  test('answers with all its fields and tells of it', async () => {
    await commerce.emptyOutbox();
    const email = address();
    const created = await create({
      email,
      name: 'Ada',
      external_id: 'ada',
      metadata: { plan: 'gold', seats: 3, rate: 0.5, trial: false },
      billing_address: { country: 'us', state: 'NY', line1: '' },
      tax_id: '12-3456789',
      locale: 'en-US',
    });
    expect(created).toEqual({
      id: expect.any(String),
      created_at: commerce.clock.now().toISOString(),
      modified_at: null,
      metadata: { plan: 'gold', seats: 3, rate: 0.5, trial: false },
      external_id: 'ada',
      email,
      email_verified: false,
      type: 'individual',
      name: 'Ada',
      billing_name: 'Ada',
      billing_address: {
        country: 'US',
        state: 'US-NY',
        line1: null,
        line2: null,
        city: null,
        postal_code: null,
      },
      tax_id: ['123456789', 'us_ein'],
      locale: 'en-US',
      organization_id: commerce.organization.id,
      default_payment_method_id: null,
      deleted_at: null,
      first_user_event_at: null,
      avatar_url: expect.stringMatching(/^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}/),
    });
    expect(await commerce.webhooks()).toEqual(['customer.created', 'member.created']);
    expect((await commerce.told('customers.changed'))[0]).toEqual(created);
    expect((await commerce.told('customer.created'))[0]).toMatchObject({
      metadata: {
        customer_id: created.id,
        customer_email: email,
        customer_name: 'Ada',
        customer_external_id: 'ada',
      },
    });
    const members = await commerce.ok('GET', `/v1/members/?customer_id=${created.id}`);
    expect(members.items).toMatchObject([{ role: 'owner', email, name: 'Ada' }]);
  });

  test('makes a team with an owner of its own', async () => {
    const owner = { email: address(), name: 'Olga', external_id: 'olga' };
    const team = await commerce.ok('POST', '/v1/customers/', { type: 'team', name: 'Acme', owner });
    expect(team).toMatchObject({ type: 'team', email: null, avatar_url: null });
    const { items } = await commerce.ok('GET', `/v1/members/?customer_id=${team.id}`);
    expect(items).toMatchObject([{ ...owner, role: 'owner' }]);
  });

  test.each<[string, object]>([
    ['body.email', {}],
    ['body.email', { email: 'nobody' }],
    ['body.owner', { type: 'team' }],
    ['body.type', { email: 'a@example.com', type: 'crowd' }],
    ['body.name', { email: 'a@example.com', name: 'x'.repeat(257) }],
    ['body.billing_address.country', { email: 'a@example.com', billing_address: { country: 'KP' } }],
    ['body.billing_address.country', { email: 'a@example.com', billing_address: {} }],
    [
      'body.billing_address.state',
      { email: 'a@example.com', billing_address: { country: 'CA', state: 'NY' } },
    ],
    ['body.tax_id', { email: 'a@example.com', tax_id: '123' }],
    ['body.metadata.a', { email: 'a@example.com', metadata: { a: null } }],
    ['body.metadata.a', { email: 'a@example.com', metadata: { a: { b: 1 } } }],
    [
      'body.organization_id',
      { email: 'a@example.com', organization_id: '0b7ba5b0-9e2b-4a7c-8a63-2f0f6f1f3c11' },
    ],
  ])('is a 422 at %s for %j', async (loc, body) => {
    expect(issueOf(await commerce.api('POST', '/v1/customers/', body))).toEqual([422, loc]);
  });

  test('refuses a taken address, whatever its case, and a taken external id', async () => {
    const known = await create({ external_id: newId() });
    const sameAddress = await commerce.api('POST', '/v1/customers/', { email: known.email.toUpperCase() });
    expect(issueOf(sameAddress)).toEqual([422, 'body.email']);
    const body = { email: address(), external_id: known.external_id };
    expect(issueOf(await commerce.api('POST', '/v1/customers/', body))).toEqual([422, 'body.external_id']);
  });

  test('happens once for one idempotency key', async () => {
    const body = { email: address() };
    const options = { headers: { 'idempotency-key': newId() } };
    const first = await commerce.api('POST', '/v1/customers/', body, options);
    const again = await commerce.api('POST', '/v1/customers/', body, options);
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  test('by a user belongs to the organization named', async () => {
    const other = commerce.otherOrganization();
    const as = personalToken([commerce.organization.id, other.id]);
    const missing = await commerce.api('POST', '/v1/customers/', { email: address() }, { as });
    expect(issueOf(missing)).toEqual([422, 'body.organization_id']);
    const made = await commerce.ok(
      'POST',
      '/v1/customers/',
      { email: address(), organization_id: other.id },
      { as },
    );
    expect(made.organization_id).toBe(other.id);
  });
});

describe('reading and changing a customer', () => {
  test('works by id and by external id', async () => {
    const created = await create({ external_id: newId() });
    const byExternalId = `/v1/customers/external/${created.external_id}`;
    expect(await commerce.ok('GET', `/v1/customers/${created.id}`)).toEqual(created);
    expect(await commerce.ok('GET', byExternalId)).toEqual(created);
    commerce.clock.advance({ seconds: 1 });
    const changed = await commerce.ok('PATCH', byExternalId, { name: 'Grace', metadata: { a: 1 } });
    expect(changed).toMatchObject({ name: 'Grace', billing_name: 'Grace', metadata: { a: 1 } });
    expect(changed.modified_at).toBe(commerce.clock.now().toISOString());
    const { items } = await commerce.ok('GET', `/v1/members/?customer_id=${created.id}`);
    expect(items).toMatchObject([{ name: 'Grace' }]);
  });

  test('tells what changed, and nothing when nothing did', async () => {
    const created = await create({ name: 'Ada', billing_address: { country: 'DE', city: 'Berlin' } });
    await commerce.emptyOutbox();
    await commerce.ok('PATCH', `/v1/customers/${created.id}`, { name: 'Ada' });
    expect(await commerce.webhooks()).toEqual([]);
    await commerce.ok('PATCH', `/v1/customers/${created.id}`, {
      name: null,
      billing_address: { country: 'FR' },
    });
    expect((await commerce.told('customer.updated'))[0].metadata.updated_fields).toEqual({
      name: null,
      billing_address: { country: 'FR' },
    });
    expect(await commerce.webhooks()).toEqual(['customer.updated', 'member.updated']);
  });

  test('refuses what the rules refuse', async () => {
    const created = await create({ external_id: newId() });
    const path = `/v1/customers/${created.id}`;
    expect(issueOf(await commerce.api('PATCH', path, { external_id: 'other' }))).toEqual([
      422,
      'body.external_id',
    ]);
    expect(issueOf(await commerce.api('PATCH', path, { email: null }))).toEqual([422, 'body.email']);
    const { email } = await create();
    expect(issueOf(await commerce.api('PATCH', path, { email }))).toEqual([422, 'body.email']);
  });

  test.each(['GET', 'PATCH', 'DELETE'])('%s finds no customer of another organization', async (method) => {
    const as = organizationToken(commerce.otherOrganization().id);
    const created = await create({ external_id: newId() });
    const body = method === 'PATCH' ? {} : undefined;
    for (const path of [created.id, `external/${created.external_id}`, newId(), `external/${newId()}`]) {
      const options = {
        as: path.includes(created.id) || path.includes(created.external_id) ? as : commerce.merchant,
      };
      const answer = await commerce.api(method, `/v1/customers/${path}`, body, options);
      expect([path, answer.status, answer.body.error]).toEqual([path, 404, 'ResourceNotFound']);
    }
    expect((await commerce.api(method, '/v1/customers/nonsense', body)).status).toBe(422);
  });

  test('by an external id that two organizations use is a 409 for who reaches both', async () => {
    const other = commerce.otherOrganization();
    const external_id = newId();
    await create({ external_id });
    await commerce.ok(
      'POST',
      '/v1/customers/',
      { email: address(), external_id },
      { as: organizationToken(other.id) },
    );
    const as = personalToken([commerce.organization.id, other.id]);
    const answer = await commerce.api('GET', `/v1/customers/external/${external_id}`, undefined, { as });
    expect([answer.status, answer.body.error]).toEqual([409, 'AmbiguousExternalCustomerID']);
  });

  test('is refused to a user who may only read', async () => {
    const created = await create();
    const reader = personalToken([commerce.organization.id]);
    reader.organizations[0]!.role = 'member';
    const answer = await commerce.api('PATCH', `/v1/customers/${created.id}`, { name: 'X' }, { as: reader });
    expect([answer.status, answer.body.error]).toEqual([403, 'NotPermitted']);
    expect((await commerce.api('GET', `/v1/customers/${created.id}`, undefined, { as: reader })).status).toBe(
      200,
    );
  });
});

describe('the list of customers', () => {
  let run: string;
  const list = async (query: string) => {
    const { items } = await commerce.ok('GET', `/v1/customers/?metadata[run]=${run}&limit=100&${query}`);
    return items.map((customer: { name: string }) => customer.name);
  };
  beforeAll(async () => {
    run = newId();
    for (const [name, email] of [
      ['Beta', 'zoe'],
      ['Alpha', 'max'],
      ['Gamma', 'amy'],
    ]) {
      commerce.clock.advance({ seconds: 1 });
      await create({ name, email: `${email}-${run}@example.com`, metadata: { run, size: name!.length } });
    }
  });

  test.each([
    ['', ['Gamma', 'Alpha', 'Beta']],
    ['sorting=created_at', ['Beta', 'Alpha', 'Gamma']],
    ['sorting=name', ['Alpha', 'Beta', 'Gamma']],
    ['sorting=-name', ['Gamma', 'Beta', 'Alpha']],
    ['sorting=email', ['Gamma', 'Alpha', 'Beta']],
    ['sorting=-email', ['Beta', 'Alpha', 'Gamma']],
    ['query=ALPH', ['Alpha']],
    ['query=%25', []],
    ['metadata[size]=5', ['Gamma', 'Alpha']],
    ['metadata[size]=5&metadata[size]=4', ['Gamma', 'Alpha', 'Beta']],
    ['active=false', ['Gamma', 'Alpha', 'Beta']],
    ['active=true', []],
    ['organization_id=0b7ba5b0-9e2b-4a7c-8a63-2f0f6f1f3c11', []],
  ])('with %s is %j', async (query, names) => {
    expect(await list(query)).toEqual(names);
  });

  test('finds an address whatever its case, and customers with a subscription', async () => {
    expect(await list(`email=MAX-${run}@EXAMPLE.com`)).toEqual(['Alpha']);
    const bought = await commerce.buy(
      commerce.product({ recurring_interval: 'month', prices: [fixed(500)] }).id,
    );
    const { items } = await commerce.ok('GET', '/v1/customers/?active=true&limit=100');
    expect(items.map(({ id }: { id: string }) => id)).toContain(bought.customer_id);
  });

  test('has pages and takes the same statements whatever their size', async () => {
    const page = await commerce.ok('GET', `/v1/customers/?metadata[run]=${run}&limit=2&page=2&sorting=name`);
    expect(page.items.map(({ name }: { name: string }) => name)).toEqual(['Gamma']);
    expect(page.pagination).toEqual({ total_count: 3, max_page: 2 });
    const few = await commerce.statementsOf(() => commerce.ok('GET', '/v1/customers/?limit=1'));
    const many = await commerce.statementsOf(() => commerce.ok('GET', '/v1/customers/?limit=100'));
    expect(many).toBe(few);
  });

  test.each(['sorting=age', 'page=0', 'active=perhaps', 'organization_id=x'])('refuses %s', async (query) => {
    const answer = await commerce.api('GET', `/v1/customers/?${query}`);
    expect([answer.status, answer.body.detail[0].loc[0]]).toEqual([422, 'query']);
  });
});

test('the time of a customer’s first event is shown, and copies hear of it, but no webhook', async () => {
  const customer = await commerce.ok('POST', '/v1/customers/', { email: `${newId()}@example.com` });
  await commerce.emptyOutbox();
  const first_user_event_at = '2026-01-02T03:04:05.000Z';
  for (const id of [customer.id, customer.id, newId()]) {
    const first = { id, first_user_event_at };
    await commerce.publish('first_user_events', first);
  }
  expect(await commerce.ok('GET', `/v1/customers/${customer.id}`)).toEqual({
    ...customer,
    first_user_event_at,
  });
  expect(await commerce.told('customers.changed')).toMatchObject([{ first_user_event_at }]);
  expect(await commerce.webhooks()).toEqual([]);
});

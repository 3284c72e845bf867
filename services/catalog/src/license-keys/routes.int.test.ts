import { newId } from '@tributary/proto/id.ts';
import {
  customerSession,
  memberSession,
  organizationToken,
  readerOf,
} from '@tributary/runtime/testing/principals.ts';
import { type CatalogUnderTest, catalogUnderTest } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
afterAll(() => catalog.stop());

/** A customer with a key from a new benefit, bought once. */
async function keyOf(properties: object = {}, given: { member?: boolean; subscription?: boolean } = {}) {
  const benefit = await catalog.benefit('license_keys', {
    activations: { limit: 3, enable_customer_admin: true },
    limit_usage: 10,
    ...properties,
  });
  const customer = catalog.customer();
  const product = await catalog.product(given.subscription ? {} : { recurring_interval: null }, [benefit]);
  if (given.subscription) await catalog.subscribe(product.id, customer.id);
  else await catalog.buy(product.id, customer.id);
  const { body } = await catalog.api('GET', `/v1/license-keys/?benefit_id=${benefit.id}`);
  return { key: body.items[0], benefit, customer };
}

const use = (verb: string, body: object) =>
  catalog.api('POST', `/v1/license-keys/${verb}`, { organization_id: catalog.organization.id, ...body });
const read = async (id: string) => (await catalog.api('GET', `/v1/license-keys/${id}`)).body;

describe('a license key', () => {
  test('has every field of its representation', async () => {
    const { key, benefit, customer } = await keyOf({ prefix: 'app', expires: { ttl: 1, timeframe: 'year' } });
    expect(key).toEqual({
      id: expect.any(String),
      created_at: '2026-01-15T12:00:00.000Z',
      modified_at: null,
      organization_id: catalog.organization.id,
      customer_id: customer.id,
      customer,
      benefit_id: benefit.id,
      key: expect.stringMatching(/^APP-/),
      display_key: `****-${key.key.slice(-6)}`,
      status: 'granted',
      limit_activations: 3,
      usage: 0,
      limit_usage: 10,
      validations: 0,
      last_validated_at: null,
      expires_at: '2027-01-15T12:00:00.000Z',
    });
    expect(await read(key.id)).toEqual({ ...key, activations: [] });
  });

  test('is listed by status and benefit, oldest first, and by organization', async () => {
    const [first, second] = [await keyOf(), await keyOf()];
    await catalog.api('PATCH', `/v1/license-keys/${second.key.id}`, { status: 'disabled' });
    const both = `benefit_id=${first.benefit.id}&benefit_id=${second.benefit.id}`;
    const idsOf = async (query: string) =>
      (await catalog.api('GET', `/v1/license-keys/?${both}&${query}`)).body.items.map(
        (item: { id: string }) => item.id,
      );
    expect(await idsOf('')).toEqual([first.key.id, second.key.id]);
    expect(await idsOf('status=disabled')).toEqual([second.key.id]);
    expect(await idsOf('status=disabled&status=granted')).toHaveLength(2);
    expect(await idsOf(`organization_id=${newId()}`)).toEqual([]);
    expect(await idsOf('limit=1&page=2')).toEqual([second.key.id]);
    const bad = await catalog.api('GET', '/v1/license-keys/?status=lost');
    expect(bad.body.detail[0].loc).toEqual(['query', 'status']);
  });

  test('of another organization does not exist', async () => {
    const { key } = await keyOf();
    const as = organizationToken(newId());
    const body = { key: key.key, organization_id: catalog.organization.id };
    const answers = [
      await catalog.api('GET', `/v1/license-keys/${key.id}`, undefined, { as }),
      await catalog.api('PATCH', `/v1/license-keys/${key.id}`, { usage: 1 }, { as }),
      await catalog.api('POST', '/v1/license-keys/validate', body, { as }),
      await catalog.api('POST', '/v1/license-keys/activate', { ...body, label: 'x' }, { as }),
      await catalog.api('POST', '/v1/license-keys/deactivate', { ...body, activation_id: newId() }, { as }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404]);
    expect(await read(key.id)).toMatchObject({ usage: 0, validations: 0 });
  });
});

describe('updating a license key', () => {
  test('changes the fields sent, and null clears limits and expiry', async () => {
    const { key } = await keyOf({ expires: { ttl: 1, timeframe: 'day' } });
    const path = `/v1/license-keys/${key.id}`;
    const changes = {
      usage: 4,
      limit_activations: 7,
      limit_usage: 8,
      expires_at: '2030-01-01T02:00:00+02:00',
    };
    const { status, body } = await catalog.api('PATCH', path, changes);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...key,
      ...changes,
      expires_at: '2030-01-01T00:00:00.000Z',
      modified_at: '2026-01-15T12:00:00.000Z',
    });
    const cleared = await catalog.api('PATCH', path, {
      limit_activations: null,
      limit_usage: null,
      expires_at: null,
    });
    expect(cleared.body).toMatchObject({
      usage: 4,
      limit_activations: null,
      limit_usage: null,
      expires_at: null,
    });
    expect((await catalog.api('PATCH', path, {})).body).toMatchObject({ usage: 4, status: 'granted' });
  });

  test.each<[object, string]>([
    [{ usage: 2 ** 31 }, 'usage'],
    [{ usage: 'many' }, 'usage'],
    [{ usage: null }, 'usage'],
    [{ limit_activations: 0 }, 'limit_activations'],
    [{ limit_usage: -1 }, 'limit_usage'],
    [{ limit_usage: 1.5 }, 'limit_usage'],
    [{ expires_at: '2030-01-01T00:00:00' }, 'expires_at'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ expires_at: '9999-12-31T23:59:59-12:00' }, 'expires_at'],
    [{ status: 'lost' }, 'status'],
  ])('refuses %j', async (body, field) => {
    const { key } = await keyOf();
    const answer = await catalog.api('PATCH', `/v1/license-keys/${key.id}`, body);
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', field]]);
  });

  test('revoking it revokes its grant for good; granting it brings the grant back', async () => {
    const { key, customer, benefit } = await keyOf({}, { subscription: true });
    const path = `/v1/license-keys/${key.id}`;
    const grant = async () =>
      (await catalog.api('GET', `/v1/benefit-grants/?customer_id=${customer.id}`)).body.items[0];
    expect((await catalog.api('PATCH', path, { status: 'revoked' })).body.status).toBe('revoked');
    expect(await grant()).toMatchObject({ is_granted: false, is_revoked: true });
    const subscription = { id: (await grant()).subscription_id, status: 'active', customer_id: customer.id };
    const { body: products } = await catalog.api('GET', `/v1/products/?benefit_id=${benefit.id}`);
    await catalog.api('POST', `/v1/products/${products.items[0].id}/benefits`, { benefits: [benefit.id] });
    await catalog.settle();
    await catalog.publish('subscriptions', subscription.id, {
      ...subscription,
      product_id: products.items[0].id,
    });
    expect(await grant()).toMatchObject({ is_granted: false });
    expect((await catalog.api('PATCH', path, { status: 'granted' })).body).toMatchObject({
      status: 'granted',
      key: key.key,
    });
    expect(await grant()).toMatchObject({ is_granted: true, properties: { license_key_id: key.id } });
    const id = (await grant()).id;
    const told = await Promise.all(
      ['benefit_grant.created', 'benefit_grant.revoked'].map((type) => catalog.told(type, id)),
    );
    expect(told.map((messages) => messages.length)).toEqual([2, 1]);
    expect(told[1]![0].data.previous_properties).toEqual({
      license_key_id: key.id,
      display_key: key.display_key,
    });
  });

  test('is refused to a user whose role only reads', async () => {
    const { key } = await keyOf();
    const as = readerOf(catalog.organization.id);
    const answer = await catalog.api('PATCH', `/v1/license-keys/${key.id}`, { usage: 1 }, { as });
    expect([answer.status, answer.body.error]).toEqual([403, 'NotPermitted']);
    expect(await read(key.id)).toMatchObject({ usage: 0, modified_at: null });
  });

  test('with nothing to change leaves it as it was', async () => {
    const { key } = await keyOf();
    const { body } = await catalog.api('PATCH', `/v1/license-keys/${key.id}`, { unknown: 1, status: null });
    expect(body).toEqual(key);
  });

  test('does not bring back what its customer or its benefit had to leave', async () => {
    const left = await keyOf();
    const gone = { ...left.customer, deleted_at: '2026-01-15T12:00:00Z' };
    await catalog.publish('customers', left.customer.id, gone);
    const withdrawn = await keyOf();
    await catalog.api('DELETE', `/v1/benefits/${withdrawn.benefit.id}`);
    await catalog.settle();
    for (const { key } of [left, withdrawn]) {
      const answer = await catalog.api('PATCH', `/v1/license-keys/${key.id}`, { status: 'granted' });
      expect([answer.status, answer.body.detail?.[0].loc]).toEqual([422, ['body', 'status']]);
      expect((await read(key.id)).status).toBe('revoked');
    }
    const { body } = await catalog.api('GET', `/v1/benefit-grants/?customer_id=${left.customer.id}`);
    expect(body.items).toMatchObject([{ is_granted: false, is_revoked: true }]);
  });

  test('disabling it leaves the grant alone', async () => {
    const { key, customer } = await keyOf();
    await catalog.api('PATCH', `/v1/license-keys/${key.id}`, { status: 'disabled' });
    const { body } = await catalog.api('GET', `/v1/benefit-grants/?customer_id=${customer.id}`);
    expect(body.items[0].is_granted).toBe(true);
    expect((await use('validate', { key: key.key })).status).toBe(404);
  });
});

describe('using a license key', () => {
  test('activate, validate, read and deactivate', async () => {
    const { key } = await keyOf();
    const activated = await use('activate', {
      key: key.key,
      label: 'laptop',
      conditions: { major: 1 },
      meta: { os: 'linux' },
    });
    expect(activated.status).toBe(200);
    expect(activated.body).toEqual({
      id: expect.any(String),
      license_key_id: key.id,
      label: 'laptop',
      meta: { os: 'linux' },
      created_at: expect.any(String),
      modified_at: null,
      license_key: key,
    });
    const { license_key, ...activation } = activated.body;
    const activation_id = activation.id;
    const validated = await use('validate', {
      key: key.key,
      activation_id,
      conditions: { major: 1 },
      increment_usage: 2,
    });
    expect(validated.status).toBe(200);
    expect(validated.body).toEqual({
      ...license_key,
      modified_at: '2026-01-15T12:00:00.000Z',
      usage: 2,
      validations: 1,
      last_validated_at: '2026-01-15T12:00:00.000Z',
      activation,
    });
    expect((await use('validate', { key: key.key })).body.activation).toBeNull();
    expect((await use('validate', { key: key.key, activation_id, conditions: { major: 2 } })).status).toBe(
      404,
    );
    const path = `/v1/license-keys/${key.id}/activations`;
    expect((await catalog.api('GET', `${path}/${activation_id}`)).body).toMatchObject({
      ...activation,
      license_key: { id: key.id },
    });
    expect((await catalog.api('GET', `${path}/${newId()}`)).status).toBe(404);
    expect((await read(key.id)).activations).toEqual([activation]);
    const gone = await use('deactivate', { key: key.key, activation_id });
    expect([gone.status, gone.body]).toEqual([204, undefined]);
    expect((await use('deactivate', { key: key.key, activation_id })).status).toBe(404);
    expect((await read(key.id)).activations).toEqual([]);
  });

  test('refusals carry the names integrators know', async () => {
    const { key } = await keyOf({ limit_usage: 1 });
    const none = await use('validate', { key: 'nothing like it' });
    expect([none.status, none.body.error]).toEqual([404, 'ResourceNotFound']);
    const over = await use('validate', { key: key.key, increment_usage: 2 });
    expect([over.status, over.body.error]).toEqual([400, 'BadRequest']);
    const plain = await keyOf({ activations: null });
    const unsupported = await use('activate', { key: plain.key.key, label: 'x' });
    expect([unsupported.status, unsupported.body.error]).toEqual([403, 'NotPermitted']);
    expect((await use('activate', { key: key.key })).body.detail[0].loc).toEqual(['body', 'label']);
    expect((await use('validate', { key: key.key, increment_usage: -1 })).status).toBe(422);
    expect((await use('validate', { key: key.key, conditions: { a: null } })).status).toBe(422);
  });

  test('fifty activations at once on a limit of three make exactly three', async () => {
    const { key } = await keyOf();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => use('activate', { key: key.key, label: `machine ${index}` })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
    expect(answers.filter((answer) => answer.status === 403)).toHaveLength(47);
    expect((await read(key.id)).activations).toHaveLength(3);
  });

  test('validations at once are all counted, and uses stop at the limit', async () => {
    const { key } = await keyOf({ limit_usage: 30 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => use('validate', { key: key.key, increment_usage: 1 })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(30);
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(10);
    expect(await read(key.id)).toMatchObject({ usage: 30, validations: 30 });
  });
});

describe('in the portal', () => {
  test('a customer lists and reads its own keys', async () => {
    const { key, customer, benefit } = await keyOf();
    await use('activate', { key: key.key, label: 'laptop' });
    const as = customerSession(catalog.organization.id, customer.id);
    const portal = (path: string) =>
      catalog.api('GET', `/v1/customer-portal/license-keys/${path}`, undefined, { as });
    expect((await portal('')).body).toEqual({ items: [key], pagination: { total_count: 1, max_page: 1 } });
    expect((await portal(`?benefit_id=${benefit.id}`)).body.items).toEqual([key]);
    expect((await portal(`?benefit_id=${newId()}`)).body.items).toEqual([]);
    expect((await portal(`?benefit_id=${newId()}&benefit_id=${benefit.id}`)).body.items).toEqual([key]);
    expect((await portal(key.id)).body).toEqual({
      ...key,
      activations: [expect.objectContaining({ label: 'laptop' })],
    });
    const stranger = customerSession(catalog.organization.id, catalog.customer().id);
    const answer = await catalog.api('GET', `/v1/customer-portal/license-keys/${key.id}`, undefined, {
      as: stranger,
    });
    expect(answer.status).toBe(404);
  });

  test('activations are hidden unless customers look after them', async () => {
    const { key, customer } = await keyOf({ activations: { limit: 3, enable_customer_admin: false } });
    await use('activate', { key: key.key, label: 'laptop' });
    const as = customerSession(catalog.organization.id, customer.id);
    const { body } = await catalog.api('GET', `/v1/customer-portal/license-keys/${key.id}`, undefined, {
      as,
    });
    expect(body.activations).toEqual([]);
  });

  test('what the customer itself holds is seen by its owner and by no other member', async () => {
    const { key, customer } = await keyOf();
    const list = async (role: 'owner' | 'member') => {
      const as = memberSession(catalog.organization.id, customer.id, newId(), role);
      return (await catalog.api('GET', '/v1/customer-portal/license-keys/', undefined, { as })).body.items;
    };
    expect(await list('owner')).toEqual([key]);
    expect(await list('member')).toEqual([]);
  });

  test('a merchant token is not accepted', async () => {
    const answer = await catalog.api('GET', '/v1/customer-portal/license-keys/');
    expect([answer.status, answer.body.error]).toEqual([401, 'Unauthorized']);
  });

  test('a key alone is enough to activate, validate and deactivate', async () => {
    const { key } = await keyOf();
    const portal = (verb: string, body: object) =>
      catalog.request('POST', `/v1/customer-portal/license-keys/${verb}`, {
        body: { key: key.key, organization_id: catalog.organization.id, ...body },
      });
    const activation = await portal('activate', { label: 'phone' });
    expect(activation.status).toBe(200);
    const named = { activation_id: activation.body.id };
    expect((await portal('validate', named)).body).toMatchObject({
      validations: 1,
      activation: { label: 'phone' },
    });
    expect((await portal('deactivate', named)).status).toBe(204);
    expect((await portal('validate', { organization_id: newId() })).status).toBe(404);
  });
});

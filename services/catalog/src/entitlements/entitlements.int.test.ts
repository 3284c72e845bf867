import { newId } from '@tributary/runtime/db/id.ts';
import { type CatalogUnderTest, catalogUnderTest } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
afterAll(() => catalog.stop());

async function create(path: string, body: object) {
  const { status, body: made } = await catalog.api('POST', path, body);
  expect([status, made]).toEqual([201, expect.anything()]);
  return made;
}

const benefit = (type: string, properties: object = {}) =>
  create('/v1/benefits/', { type, description: `A ${type}`, properties });

async function product(benefits: { id: string }[], body: object = {}) {
  const made = await create('/v1/products/', {
    name: 'Pro',
    recurring_interval: 'month',
    prices: [{ amount_type: 'fixed', price_amount: 1000 }],
    ...body,
  });
  const set = await catalog.api('POST', `/v1/products/${made.id}/benefits`, {
    benefits: benefits.map(({ id }) => id),
  });
  expect(set.status).toBe(200);
  return set.body;
}

const subscription = (product_id: string, customer_id: string, given: object = {}) => ({
  id: newId(),
  status: 'active',
  product_id,
  customer_id,
  seats: null,
  checkout_id: null,
  past_due_at: null,
  ...given,
});

const publish = (value: { id: string }) => catalog.publish('subscriptions', value.id, value);

const grantsOf = async (customerId: string, filter = '') =>
  (await catalog.api('GET', `/v1/benefit-grants/?customer_id=${customerId}${filter}`)).body.items;

test('an active subscription grants the benefits of its product', async () => {
  const keys = await benefit('license_keys', {
    activations: { limit: 3, enable_customer_admin: true },
    prefix: 'acme',
  });
  const meter = catalog.meter();
  const credit = await benefit('meter_credit', { meter_id: meter.id, units: 1000, rollover: true });
  const { id } = await product([keys, credit]);
  const customer = catalog.customer();
  const bought = subscription(id, customer.id);
  await publish(bought);
  const grants = await grantsOf(customer.id);
  expect(grants).toHaveLength(2);
  expect(grants.every((grant: { is_granted: boolean }) => grant.is_granted)).toBe(true);
  const byBenefit = Object.fromEntries(
    grants.map((grant: { benefit_id: string }) => [grant.benefit_id, grant]),
  );
  expect(byBenefit[credit.id]).toMatchObject({
    subscription_id: bought.id,
    order_id: null,
    customer: { id: customer.id, email: customer.email },
    benefit: { id: credit.id, type: 'meter_credit' },
    properties: { last_credited_meter_id: meter.id, last_credited_units: 1000 },
  });
  const { body } = await catalog.api('GET', `/v1/license-keys/?benefit_id=${keys.id}`);
  expect(body.items).toHaveLength(1);
  expect(body.items[0]).toMatchObject({ status: 'granted', limit_activations: 3, expires_at: null });
  expect(body.items[0].key).toMatch(/^ACME-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
  expect(body.items[0].display_key).toBe(`****-${body.items[0].key.slice(-6)}`);
  const [event] = await catalog.told('benefit.granted', byBenefit[credit.id].id);
  expect(event).toMatchObject({
    customer_id: customer.id,
    external_customer_id: customer.external_id,
    metadata: {
      benefit_id: credit.id,
      benefit_grant_id: byBenefit[credit.id].id,
      benefit_type: 'meter_credit',
    },
  });
});

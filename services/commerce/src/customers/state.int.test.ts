import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed, meterCopy, metered } from '../testing/copies.ts';
import { tellStateChanges } from './read-state.flow.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const since = { created_at: '2026-01-01T00:00:00.000Z', modified_at: null };

async function customerWithEverything() {
  const meter = meterCopy({ organization_id: commerce.organization.id });
  commerce.put('meters', meter);
  const product = commerce.product({
    recurring_interval: 'month',
    prices: [fixed(1_000), metered(meter, '0.5')],
  });
  const bought = await commerce.buy(product.id, { external_customer_id: newId() });
  const customer_id = bought.customer_id as string;
  const grant = (is_granted: boolean) => ({
    id: newId(),
    ...since,
    customer_id,
    benefit_id: newId(),
    is_granted,
    is_revoked: !is_granted,
    granted_at: is_granted ? since.created_at : null,
    properties: { display_key: '****-ABCDEF' },
    benefit: { type: 'license_keys', metadata: { tier: 'gold' } },
  });
  const granted = grant(true);
  await commerce.publish('benefit_grants', granted);
  await commerce.publish('benefit_grants', grant(false));
  const used = { consumed_units: 1_250.5, credited_units: 1_000, balance: -250.5 };
  const customerMeter = { id: newId(), ...since, customer_id, meter_id: meter.id, ...used };
  await commerce.publish('customer_meters', customerMeter);
  return {
    customer_id,
    external_id: bought.external_customer_id as string,
    product,
    meter,
    granted,
    customerMeter,
    used,
  };
}

describe('the state of a customer', () => {
  test('shows active subscriptions with their meters, granted benefits and meters', async () => {
    const { customer_id, external_id, product, meter, granted, customerMeter, used } =
      await customerWithEverything();
    const state = await commerce.ok('GET', `/v1/customers/${customer_id}/state`);
    expect(state).toMatchObject({
      id: customer_id,
      type: 'individual',
      external_id,
      active_subscriptions: [
        {
          status: 'active',
          amount: 1_000,
          product_id: product.id,
          meters: [{ meter_id: meter.id, consumed_units: 1_250.5, credited_units: 1_000, amount: 125 }],
        },
      ],
      granted_benefits: [
        {
          id: granted.id,
          granted_at: granted.granted_at,
          benefit_id: granted.benefit_id,
          benefit_type: 'license_keys',
          benefit_metadata: { tier: 'gold' },
          properties: { display_key: '****-ABCDEF' },
        },
      ],
      active_meters: [{ id: customerMeter.id, meter_id: meter.id, ...used }],
    });
    expect(state.granted_benefits).toHaveLength(1);
    expect(await commerce.ok('GET', `/v1/customers/external/${external_id}/state`)).toEqual(state);
  });

  test('leaves out what has ended', async () => {
    const { customer_id, meter } = await customerWithEverything();
    const { items } = await commerce.ok('GET', `/v1/subscriptions/?customer_id=${customer_id}`);
    await commerce.ok('DELETE', `/v1/subscriptions/${items[0].id}`);
    await commerce.publish('meters', { ...meter, archived_at: since.created_at } as never);
    const state = await commerce.ok('GET', `/v1/customers/${customer_id}/state`);
    expect([state.active_subscriptions, state.active_meters]).toEqual([[], []]);
  });

  test('is a 404 for strangers and unknown customers', async () => {
    const { customer_id, external_id } = await customerWithEverything();
    const as = organizationToken(commerce.otherOrganization().id);
    for (const path of [customer_id, `external/${external_id}`]) {
      expect((await commerce.api('GET', `/v1/customers/${path}/state`, undefined, { as })).status).toBe(404);
    }
    expect((await commerce.api('GET', `/v1/customers/${newId()}/state`)).status).toBe(404);
    expect((await commerce.api('GET', '/v1/customers/nonsense/state')).status).toBe(422);
  });
});

describe('a changed state', () => {
  const tell = () => tellStateChanges(commerce.app, commerce.clock.now());
  const toldOf = async (id: string) =>
    (await commerce.told('customer.state_changed')).filter(({ data }) => data.id === id);

  test('is told once for the changes of a few seconds', async () => {
    const { customer_id } = await customerWithEverything();
    await tell();
    expect(await toldOf(customer_id)).toEqual([]);
    commerce.clock.advance({ seconds: 3 });
    await Promise.all([tell(), tell()]);
    await tell();
    const told = await toldOf(customer_id);
    expect(told).toHaveLength(1);
    expect(told[0].data).toMatchObject({
      active_subscriptions: [{ status: 'active' }],
      granted_benefits: [{}],
    });
  });

  test('is told again when something changes later', async () => {
    const { customer_id } = await customerWithEverything();
    commerce.clock.advance({ seconds: 3 });
    await tell();
    await commerce.ok('PATCH', `/v1/customers/${customer_id}`, { name: 'Grace' });
    commerce.clock.advance({ seconds: 3 });
    await tell();
    expect((await toldOf(customer_id)).map(({ data }) => data.name)).toEqual(['Ada Buyer', 'Grace']);
  });

  test('of a deleted customer is not told', async () => {
    const { customer_id } = await customerWithEverything();
    await commerce.ok('DELETE', `/v1/customers/${customer_id}`);
    commerce.clock.advance({ seconds: 3 });
    await tell();
    expect(await toldOf(customer_id)).toEqual([]);
  });
});

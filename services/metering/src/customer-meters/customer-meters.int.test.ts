import { systemEvent } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import { createWorld, named, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

/** A grant of a meter credit benefit, as the catalog tells of it. */
async function grantOf(customer_id: string, meter_id: string, units: number, rollover = false) {
  const grant = {
    id: newId(),
    customer_id,
    benefit: { id: newId(), type: 'meter_credit', properties: { meter_id, units, rollover } },
    properties: { last_credited_meter_id: meter_id, last_credited_units: units, last_credited_at: '' },
  };
  return {
    grant,
    async tell(
      name: 'benefit.granted' | 'benefit.cycled' | 'benefit.revoked',
      timestamp = world.clock.now(),
    ) {
      grant.properties.last_credited_at = timestamp.toISOString();
      await world.replicate('benefit_grants', grant);
      const context = {
        organization_id: world.organization,
        customer_id,
        external_customer_id: null,
        timestamp,
      };
      const metadata = {
        benefit_id: grant.benefit.id,
        benefit_grant_id: grant.id,
        benefit_type: 'meter_credit' as const,
      };
      await world.service.deliver(systemEvent(name, context, metadata));
    },
  };
}

async function cycleSubscription(customer_id: string, meters: string[], timestamp = world.clock.now()) {
  const subscription = {
    id: newId(),
    organization_id: world.organization,
    product_id: newId(),
    prices: meters.map((meter_id) => ({ amount_type: 'metered_unit', is_archived: false, meter_id })),
  };
  await world.replicate('subscriptions', subscription);
  const context = { organization_id: world.organization, customer_id, external_customer_id: null, timestamp };
  await world.service.deliver(
    systemEvent('subscription.cycled', context, { subscription_id: subscription.id }),
  );
}

async function setup() {
  const name = newId();
  const customer = await world.addCustomer();
  const meter = await world.createMeter({ filter: named(name) });
  const use = (count: number, timestamp?: Date) =>
    world.ingest(
      Array.from({ length: count }, () => ({
        name,
        customer_id: customer.id,
        ...(timestamp ? { timestamp: timestamp.toISOString() } : {}),
      })),
    );
  return { customer, meter, use, balance: () => world.balanceOf(customer.id, meter.id) };
}

test('a granted meter credit makes the customer meter appear', async () => {
  const { customer, meter, balance } = await setup();
  const grant = await grantOf(customer.id, meter.id, 1000);
  expect(await balance()).toBeUndefined();
  await grant.tell('benefit.granted');
  expect(await balance()).toEqual({ consumed: 0, credited: 1000, balance: 1000 });
  const credited = (await world.service.outbox())
    .filter((message) => message.type === 'meter.credited')
    .at(-1)!;
  const { body } = await world.service.request('GET', `/v1/events/${credited.id}`, { as: world.merchant });
  expect(body).toMatchObject({
    id: credited.id,
    source: 'system',
    name: 'meter.credited',
    label: 'Meter Credited',
    customer_id: customer.id,
    metadata: { meter_id: meter.id, units: 1000, rollover: false },
  });
});

test('a revoked grant takes back what it gave, and never below zero', async () => {
  const { customer, meter, balance } = await setup();
  const [first, second] = [await grantOf(customer.id, meter.id, 10), await grantOf(customer.id, meter.id, 5)];
  await first.tell('benefit.granted');
  await second.tell('benefit.granted');
  await first.tell('benefit.revoked');
  await first.tell('benefit.revoked');
  expect(await balance()).toMatchObject({ credited: 5 });
});

test('a cycle resets, carries rollover units over and credits anew', async () => {
  const { customer, meter, use, balance } = await setup();
  const grant = await grantOf(customer.id, meter.id, 10, true);
  await grant.tell('benefit.granted');
  await use(3);
  world.clock.advance({ days: 30 });
  await grant.tell('benefit.cycled');
  expect(await balance()).toEqual({ consumed: 0, credited: 17, balance: 17 });
  world.clock.advance({ days: 30 });
  await grant.tell('benefit.cycled');
  expect(await balance()).toEqual({ consumed: 0, credited: 27, balance: 27 });
});

test('without rollover a cycle starts from the fresh units', async () => {
  const { customer, meter, use, balance } = await setup();
  const grant = await grantOf(customer.id, meter.id, 10);
  await grant.tell('benefit.granted');
  await use(3);
  world.clock.advance({ days: 30 });
  await grant.tell('benefit.cycled');
  expect(await balance()).toEqual({ consumed: 0, credited: 10, balance: 10 });
});

test('billing that reset the meter before is not followed by a second reset', async () => {
  const { customer, meter, use, balance } = await setup();
  const grant = await grantOf(customer.id, meter.id, 10, true);
  await grant.tell('benefit.granted');
  await use(4);
  world.clock.advance({ days: 30 });
  await cycleSubscription(customer.id, [meter.id]);
  expect(await balance()).toEqual({ consumed: 0, credited: 6, balance: 6 });
  world.clock.advance({ minutes: 1 });
  await use(2);
  await grant.tell('benefit.cycled');
  expect(await balance()).toEqual({ consumed: 2, credited: 16, balance: 14 });
});

test('a second grant of the meter keeps what the first was credited in this cycle', async () => {
  const { customer, meter, balance } = await setup();
  const [first, second] = [await grantOf(customer.id, meter.id, 10), await grantOf(customer.id, meter.id, 5)];
  await first.tell('benefit.granted');
  await second.tell('benefit.granted');
  world.clock.advance({ days: 30 });
  await first.tell('benefit.cycled');
  await second.tell('benefit.cycled');
  expect(await balance()).toMatchObject({ credited: 15 });
});

test('events count to the period their own timestamp lies in', async () => {
  const { customer, meter, use, balance } = await setup();
  const before = world.clock.now();
  world.clock.advance({ days: 1 });
  const boundary = world.clock.now();
  world.clock.advance({ hours: 1 });
  await use(5);
  await use(2, before);
  await cycleSubscription(customer.id, [meter.id], boundary);
  expect(await balance()).toMatchObject({ consumed: 5 });
  await use(1, before);
  await use(1, boundary);
  expect(await balance()).toMatchObject({ consumed: 6 });
});

test('a reset that was there first stands for the later message of the same cycle', async () => {
  const { customer, meter, use, balance } = await setup();
  const grant = await grantOf(customer.id, meter.id, 10);
  await grant.tell('benefit.granted');
  world.clock.advance({ days: 30 });
  const boundary = world.clock.now();
  await grant.tell('benefit.cycled');
  await use(1);
  await cycleSubscription(customer.id, [meter.id], boundary);
  expect(await balance()).toEqual({ consumed: 1, credited: 10, balance: 9 });
});

test('once usage was billed, filter and aggregation stay as they are', async () => {
  const { customer, meter } = await setup();
  await cycleSubscription(customer.id, [meter.id]);
  const { status, body } = await world.service.request('PATCH', `/v1/meters/${meter.id}`, {
    as: world.merchant,
    body: { name: 'Renamed', aggregation: { func: 'sum', property: 'tokens' } },
  });
  expect([status, body.detail[0].loc, body.detail[0].type]).toEqual([
    422,
    ['body', 'aggregation'],
    'forbidden',
  ]);
  const same = await world.service.request('PATCH', `/v1/meters/${meter.id}`, {
    as: world.merchant,
    body: { name: 'Renamed', filter: meter.filter, aggregation: meter.aggregation },
  });
  expect([same.status, same.body.name]).toEqual([200, 'Renamed']);
});

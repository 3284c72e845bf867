import { newId } from '@tributary/proto/id.ts';
import { createWorld, customerOf, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const event = (given: object = {}) => ({ name: 'api_call', external_customer_id: 'nobody', ...given });

test('an empty list is stored as nothing', async () => {
  expect(await world.ingest([])).toEqual({ inserted: 0, duplicates: 0 });
});

test('events are stored once per external id, repeats in the same request included', async () => {
  const [first, second] = [newId(), newId()];
  expect(
    await world.ingest([
      event({ external_id: first }),
      event({ external_id: first }),
      event({ external_id: second }),
      event(),
    ]),
  ).toEqual({ inserted: 3, duplicates: 1 });
  expect(await world.ingest([event({ external_id: second }), event({ external_id: newId() })])).toEqual({
    inserted: 1,
    duplicates: 1,
  });
});

test('a customer meter is exact when the ingest returns', async () => {
  const customer = await world.addCustomer();
  const meter = await world.createMeter();
  await world.ingest([
    event({ external_customer_id: undefined, customer_id: customer.id }),
    event({ external_customer_id: undefined, customer_id: customer.id, name: 'other' }),
    event({ external_customer_id: undefined, customer_id: customer.id }),
  ]);
  expect(await world.balanceOf(customer.id, meter.id)).toEqual({ consumed: 2, credited: 0, balance: -2 });
});

test('a customer made a moment ago is asked for; one that nobody has is refused at its place', async () => {
  const customer = customerOf({ organization_id: world.organization });
  world.elsewhere.set(customer.id, customer);
  expect(await world.ingest([{ name: 'api_call', customer_id: customer.id }])).toEqual({
    inserted: 1,
    duplicates: 0,
  });
  const stranger = newId();
  const { status, body } = await world.service.request('POST', '/v1/events/ingest', {
    as: world.merchant,
    body: { events: [event({ external_id: 'kept-out' }), { name: 'api_call', customer_id: stranger }] },
  });
  expect([status, body.detail]).toEqual([
    422,
    [
      {
        loc: ['body', 'events', 1, 'customer_id'],
        msg: 'Customer not found.',
        type: 'value_error',
        input: stranger,
      },
    ],
  ]);
  expect(await world.ingest([event({ external_id: 'kept-out' })])).toEqual({ inserted: 1, duplicates: 0 });
});

test('an event is read back by its id and in lists', async () => {
  const customer = await world.addCustomer({ external_id: newId() });
  await world.ingest([
    event({ external_customer_id: customer.external_id, name: 'read_back', metadata: { tokens: 12 } }),
  ]);
  const list = await world.service.request('GET', '/v1/events/?name=read_back', { as: world.merchant });
  expect(list.body.pagination).toEqual({ total_count: 1, max_page: 1 });
  const [found] = list.body.items;
  expect(found).toMatchObject({
    customer_id: customer.id,
    customer: { id: customer.id, email: customer.email },
    external_customer_id: customer.external_id,
    name: 'read_back',
    label: 'read_back',
    source: 'user',
    metadata: { tokens: 12 },
    child_count: 0,
    parent_id: null,
  });
  const read = await world.service.request('GET', `/v1/events/${found.id}`, { as: world.merchant });
  expect([read.status, read.body]).toEqual([200, found]);
});

import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { customerSession, memberSession, organizationToken } from '@tributary/runtime/testing/principals.ts';
import { grpcServices } from '../grpc.ts';
import type { CustomerCopy } from '../replicas.ts';
import { createWorld, named, type World } from '../testing/world.ts';
import { followChanges } from './changes-store.ts';
import { creditMeter } from './credit-customer-meter.flow.ts';

let world: World;
let ada: CustomerCopy;
let bob: CustomerCopy;
let calls: string;
let tokens: string;
beforeAll(async () => {
  world = await createWorld();
  ada = await world.addCustomer({ external_id: 'ada', name: 'Ada' });
  calls = (await world.createMeter({ name: 'Calls', filter: named('call') })).id;
  tokens = (
    await world.createMeter({
      name: 'Tokens',
      filter: named('call'),
      aggregation: { func: 'avg', property: 'tokens' },
    })
  ).id;
  const use = (customer: CustomerCopy, ...counts: number[]) =>
    world.ingest(
      counts.map((count) => ({ name: 'call', customer_id: customer.id, metadata: { tokens: count } })),
    );
  await use(ada, 1, 2);
  world.clock.advance({ minutes: 1 });
  bob = await world.addCustomer({ external_id: 'bob', name: 'Bob' });
  await use(bob, 10);
  await inTransaction(world.app.db, (tx) =>
    creditMeter(
      tx,
      {
        organization_id: world.organization,
        customer_id: bob.id,
        external_customer_id: 'bob',
        meter_id: calls,
        timestamp: world.clock.now(),
      },
      { units: 100, rollover: false, benefit_grant_id: null },
      world.clock.now(),
    ),
  );
  world.clock.advance({ minutes: 1 });
  await use(ada, 6);
});
afterAll(() => world?.stop());

const get = (target: string, as: Parameters<World['service']['request']>[2] = { as: world.merchant }) =>
  world.service.request('GET', target, as);

/** Customer, meter and balance of each row a list shows. */
async function rows(query: string): Promise<string[]> {
  const { status, body } = await get(`/v1/customer-meters/?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.items.map(
    (row: { customer: CustomerCopy; meter: { name: string }; balance: number }) =>
      `${row.customer.name} ${row.meter.name} ${row.balance}`,
  );
}

const [adaCalls, adaTokens, bobCalls, bobTokens] = [
  'Ada Calls -3',
  'Ada Tokens -3',
  'Bob Calls 99',
  'Bob Tokens -10',
];

test('a customer meter shows its customer and its meter', async () => {
  const { body } = await get(`/v1/customer-meters/?customer_id=${bob.id}&meter_id=${calls}`);
  const [row] = body.items;
  expect(row).toEqual({
    id: expect.any(String),
    created_at: '2026-06-15T12:01:00.000Z',
    modified_at: expect.anything(),
    customer_id: bob.id,
    meter_id: calls,
    consumed_units: 1,
    credited_units: 100,
    balance: 99,
    customer: { ...bob },
    meter: (await get(`/v1/meters/${calls}`)).body,
  });
  expect((await get(`/v1/customer-meters/${row.id}`)).body).toEqual(row);
  expect((await get(`/v1/customer-meters/${row.id}`, { as: organizationToken(newId()) })).status).toBe(404);
  expect((await get(`/v1/customer-meters/${newId()}`)).status).toBe(404);
});

test.each<[string, () => string, string[]]>([
  ['the customer', () => `customer_id=${ada.id}`, [adaCalls, adaTokens]],
  ['the external id', () => 'external_customer_id=bob', [bobCalls, bobTokens]],
  [
    'either external id',
    () => 'external_customer_id=bob&external_customer_id=ada',
    [adaCalls, adaTokens, bobCalls, bobTokens],
  ],
  ['the meter', () => `meter_id=${calls}`, [adaCalls, bobCalls]],
  [
    'the organization',
    () => `organization_id=${world.organization}`,
    [adaCalls, adaTokens, bobCalls, bobTokens],
  ],
  ['a foreign organization', () => `organization_id=${newId()}`, []],
  ['an unknown customer', () => `customer_id=${newId()}`, []],
  ['an unknown external id', () => 'external_customer_id=carl', []],
])('filters by %s', async (_what, query, expected) => {
  expect((await rows(query())).toSorted()).toEqual(expected);
});

test.each<[string, string[]]>([
  ['balance&sorting=meter_name', [bobTokens, adaCalls, adaTokens, bobCalls]],
  ['-balance&sorting=-meter_name', [bobCalls, adaTokens, adaCalls, bobTokens]],
  ['-credited_units&sorting=consumed_units&sorting=meter_name', [bobCalls, adaCalls, adaTokens, bobTokens]],
  ['customer_name&sorting=meter_name', [adaCalls, adaTokens, bobCalls, bobTokens]],
  ['-customer_name&sorting=-meter_name', [bobTokens, bobCalls, adaTokens, adaCalls]],
  ['meter_name&sorting=-customer_name', [bobCalls, adaCalls, bobTokens, adaTokens]],
  ['consumed_units&sorting=meter_name', [bobCalls, adaCalls, adaTokens, bobTokens]],
  ['created_at&sorting=meter_name', [adaCalls, adaTokens, bobCalls, bobTokens]],
  ['-created_at&sorting=meter_name', [bobCalls, bobTokens, adaCalls, adaTokens]],
])('sorts by %s', async (sorting, expected) => {
  expect(await rows(`sorting=${sorting}`)).toEqual(expected);
});

test('what changed last comes first by default; sorts by id are accepted', async () => {
  expect((await rows('')).slice(0, 2).toSorted()).toEqual([adaCalls, adaTokens]);
  for (const sorting of [
    'customer_id',
    '-customer_id',
    'meter_id',
    '-meter_id',
    'modified_at',
    '-modified_at',
  ]) {
    expect(await rows(`sorting=${sorting}`)).toHaveLength(4);
  }
  expect((await get('/v1/customer-meters/?sorting=name')).status).toBe(422);
});

test('the customer sees its own meters, without itself', async () => {
  const session = { as: customerSession(world.organization, ada.id) };
  const { body } = await get('/v1/customer-portal/meters/?sorting=meter_name', session);
  expect(body.pagination.total_count).toBe(2);
  expect(body.items[0]).toEqual({
    id: expect.any(String),
    created_at: '2026-06-15T12:00:00.000Z',
    modified_at: '2026-06-15T12:02:00.000Z',
    customer_id: ada.id,
    meter_id: calls,
    consumed_units: 3,
    credited_units: 0,
    balance: -3,
    meter: { id: calls, created_at: expect.any(String), modified_at: null, name: 'Calls' },
  });
  const { id } = body.items[0];
  expect((await get(`/v1/customer-portal/meters/${id}`, session)).body).toEqual(body.items[0]);
  const names = async (query: string) =>
    (await get(`/v1/customer-portal/meters/?${query}`, session)).body.items.map(
      (row: { meter: { name: string } }) => row.meter.name,
    );
  expect(await names('query=tok')).toEqual(['Tokens']);
  expect(await names(`meter_id=${calls}`)).toEqual(['Calls']);
  const member = { as: memberSession(world.organization, ada.id, newId()) };
  expect((await get(`/v1/customer-portal/meters/${id}`, member)).status).toBe(200);
  const other = { as: customerSession(world.organization, bob.id) };
  expect((await get(`/v1/customer-portal/meters/${id}`, other)).status).toBe(404);
  expect((await get(`/v1/customer-portal/meters/${id}`)).status).toBe(401);
});

/** What another service gets to hear when it asks. */
const ask = (method: string, request: object) => {
  const [service] = grpcServices(world.app).filter(({ implementation }) => method in implementation);
  return service!.implementation[method]!(request as never);
};

test('billing is told totals as they stand, and zeros for what was never used', async () => {
  const stranger = newId();
  expect(
    await ask('getCustomerMeters', {
      keys: [
        { customer_id: bob.id, meter_id: calls },
        { customer_id: stranger, meter_id: calls },
        { customer_id: ada.id, meter_id: tokens },
      ],
    }),
  ).toEqual({
    totals: [
      { customer_id: bob.id, meter_id: calls, consumed_units: '1', credited_units: 100 },
      { customer_id: stranger, meter_id: calls, consumed_units: '0', credited_units: 0 },
      { customer_id: ada.id, meter_id: tokens, consumed_units: '3', credited_units: 0 },
    ],
  });
});

test('billing is told the usage of any span', async () => {
  const at = (minutes: number) => new Date(Date.parse('2026-06-15T12:00:00Z') + minutes * 60_000);
  const usage = (customer_id: string, meter_id: string, from: number, to: number) =>
    ask('getUsage', { customer_id, periods: [{ meter_id, start: at(from), end: at(to) }] });
  expect(await usage(ada.id, calls, 0, 10)).toMatchObject({ usages: [{ consumed_units: '3' }] });
  expect(await usage(ada.id, calls, 0, 2)).toMatchObject({ usages: [{ consumed_units: '2' }] });
  expect(await usage(ada.id, tokens, 1, 3)).toMatchObject({ usages: [{ consumed_units: '6' }] });
  expect(await usage(bob.id, calls, 0, 10)).toEqual({
    usages: [{ meter_id: calls, consumed_units: '1', credited_units: 100 }],
  });
  expect(await usage(bob.id, newId(), 0, 10)).toMatchObject({
    usages: [{ consumed_units: '0', credited_units: 0 }],
  });
});

test('other services read meters and customer meters', async () => {
  expect(await ask('getResources', { resource: 'meters', ids: [calls, newId()] })).toEqual({
    resources: [{ id: calls, value: (await get(`/v1/meters/${calls}`)).body }],
  });
  const [row] = (await get(`/v1/customer-meters/?customer_id=${bob.id}&meter_id=${calls}`)).body.items;
  const { customer, meter, ...state } = row;
  expect(await ask('getResources', { resource: 'customer_meters', ids: [row.id] })).toEqual({
    resources: [{ id: row.id, value: { ...state, organization_id: customer.organization_id } }],
  });
  expect(meter.id).toBe(calls);
  expect(await ask('getResources', { resource: 'products', ids: [newId()] })).toEqual({ resources: [] });
});

test('however often a customer meter changes, it is told once until it changes again', async () => {
  const told = async () =>
    (await world.service.outbox()).filter((message) => message.topic === 'tributary.state.customer_meters')
      .length;
  const follow = () => inTransaction(world.app.db, (tx) => followChanges(tx, 100));
  await follow();
  const before = await told();
  const event = { name: 'call', customer_id: ada.id, metadata: { tokens: 1 } };
  await world.ingest([event, event]);
  await world.ingest([event]);
  expect(await follow()).toBe(false);
  expect((await told()) - before).toBe(2);
  await follow();
  expect((await told()) - before).toBe(2);
});

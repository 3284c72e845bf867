import { systemEvent } from '@tributary/proto/events/message.ts';
import { systemEventExamples } from '@tributary/proto/events/system/examples.ts';
import { type SystemEventName, systemEventNames } from '@tributary/proto/events/system-events.ts';
import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import type { CustomerCopy } from '../replicas.ts';
import { createWorld, named, type World } from '../testing/world.ts';

let world: World;
let customer: CustomerCopy;
beforeAll(async () => {
  world = await createWorld();
  customer = await world.addCustomer({ external_id: 'ada', name: 'Ada' });
  const event = (name: string, hour: number, given: object = {}) => ({
    name,
    external_customer_id: 'ada',
    timestamp: `2026-06-01T0${hour}:00:00Z`,
    ...given,
  });
  await world.ingest([
    event('root', 1, { external_id: 'root', metadata: { tier: 'gold', n: 1 } }),
    event('child', 2, { external_id: 'child', parent_id: 'root' }),
    event('grandchild', 3, { parent_id: 'child', metadata: { n: 2 } }),
    event('root', 4, { external_customer_id: 'unknown', metadata: { tier: 'silver', text: '100%_sure' } }),
  ]);
});
afterAll(() => world?.stop());

const get = (target: string, as = world.merchant) => world.service.request('GET', target, { as });

interface Listed {
  id: string;
  name: string;
  timestamp: string;
}

/** Hours of the events a query finds, and how many there are on all pages. */
async function hours(query: string): Promise<[number[], number]> {
  const { status, body } = await get(`/v1/events/?source=user&${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return [
    body.items.map((event: Listed) => new Date(event.timestamp).getUTCHours()),
    body.pagination.total_count,
  ];
}

const json = (value: object) => encodeURIComponent(JSON.stringify(value));
const formula = (...clauses: object[]) => json({ conjunction: 'and', clauses });

test.each<[string, number[]]>([
  ['', [4, 3, 2, 1]],
  ['sorting=timestamp', [1, 2, 3, 4]],
  ['name=root', [4, 1]],
  ['name=root&name=child', [4, 2, 1]],
  ['external_customer_id=ada', [3, 2, 1]],
  ['external_customer_id=unknown', [4]],
  ['external_customer_id=nobody', []],
  ['start_timestamp=2026-06-01T02:00:00Z&end_timestamp=2026-06-01T03:00:00Z', [3, 2]],
  ['metadata[tier]=gold&metadata[tier]=silver', [4, 1]],
  ['metadata[tier]=gold&metadata[n]=2', []],
  ['metadata[n]=2', [3]],
  ['depth=0', [4, 1]],
  ['depth=1', [4, 2, 1]],
  ['depth=2', [4, 3, 2, 1]],
  [`filter=${formula({ property: 'n', operator: 'gte', value: 1 })}`, [3, 1]],
  [
    `filter=${formula({ property: 'name', operator: 'eq', value: 'root' }, { property: 'tier', operator: 'ne', value: 'gold' })}`,
    [4],
  ],
  [`filter=${formula()}`, [4, 3, 2, 1]],
])('%s finds the events of hours %p', async (query, expected) => {
  expect(await hours(query)).toEqual([expected, expected.length]);
});

test('customers, parents and levels below them are found by id', async () => {
  const [, , child, root] = (await get('/v1/events/?source=user')).body.items;
  expect(root).toMatchObject({ name: 'root', child_count: 1, parent_id: null });
  expect(child).toMatchObject({ name: 'child', child_count: 1, parent_id: root.id });
  expect(await hours(`customer_id=${customer.id}`)).toEqual([[3, 2, 1], 3]);
  expect(await hours(`customer_id=${newId()}`)).toEqual([[], 0]);
  expect(await hours(`parent_id=${root.id}`)).toEqual([[2], 1]);
  expect(await hours(`parent_id=${root.id}&depth=0`)).toEqual([[1], 1]);
  expect(await hours(`parent_id=${root.id}&depth=1`)).toEqual([[2, 1], 2]);
  expect(await hours(`parent_id=${root.id}&depth=5`)).toEqual([[3, 2, 1], 3]);
});

test('free text needs an organization and three characters, and knows no wildcards', async () => {
  const within = `organization_id=${world.organization}`;
  expect(await hours(`query=RAND&${within}`)).toEqual([[3], 1]);
  expect(await hours(`query=${encodeURIComponent('100%_s')}&${within}`)).toEqual([[4], 1]);
  expect(await hours(`query=${encodeURIComponent('1_0')}&${within}`)).toEqual([[], 0]);
  expect((await get(`/v1/events/?query=ab&${within}`)).body.detail[0].loc).toEqual(['query', 'query']);
  expect((await get('/v1/events/?query=abc')).body.detail[0].loc).toEqual(['query', 'organization_id']);
});

test('a meter’s filter can be borrowed', async () => {
  const meter = await world.createMeter({ filter: named('child') });
  expect(await hours(`meter_id=${meter.id}`)).toEqual([[2], 1]);
  const { status, body } = await get(`/v1/events/?meter_id=${newId()}`);
  expect([status, body.detail[0].loc]).toEqual([422, ['query', 'meter_id']]);
});

test.each([
  'filter=nonsense',
  'filter=%5B%5D',
  `filter=${json({ conjunction: 'xor', clauses: [] })}`,
  `filter=${formula({ property: 'a', operator: 'eq', value: 'x\0' })}`,
  `filter=${'%5B'.repeat(70)}`,
  'depth=6',
  'depth=-1',
  'parent_id=x',
  'source=robot',
  'sorting=name',
  'start_timestamp=yesterday',
])('%s is refused', async (query) => {
  const { status, body } = await get(`/v1/events/?${query}`);
  expect([status, body.detail[0].loc[0]]).toEqual([422, 'query']);
});

test('pages never overlap', async () => {
  const seen = [];
  for (const page of [1, 2, 3]) {
    const { body } = await get(`/v1/events/?source=user&limit=2&page=${page}`);
    expect(body.pagination).toEqual({ total_count: 4, max_page: 2 });
    seen.push(...body.items.map((event: Listed) => event.id));
  }
  expect([seen.length, new Set(seen).size]).toEqual([4, 4]);
});

test('an unknown event and another organization’s event are not found', async () => {
  const [event] = (await get('/v1/events/')).body.items;
  const unknown = await get(`/v1/events/${newId()}`);
  expect([unknown.status, unknown.body]).toEqual([404, { error: 'ResourceNotFound', detail: 'Not found' }]);
  expect((await get(`/v1/events/${event.id}`, organizationToken(newId()))).status).toBe(404);
  expect((await get('/v1/events/malformed')).status).toBe(422);
});

test.each(systemEventNames)(
  '%s is stored from its topic and read under its id',
  async (name: SystemEventName) => {
    const context = {
      organization_id: world.organization,
      customer_id: customer.id,
      external_customer_id: customer.external_id,
      timestamp: world.clock.now(),
    };
    const metadata = systemEventExamples[name];
    const message = systemEvent(name, context, metadata as never);
    await world.service.deliver(message);
    await world.service.deliver(message);
    const { status, body } = await get(`/v1/events/${message.id}`);
    expect([status, body]).toEqual([
      200,
      {
        id: message.id,
        timestamp: world.clock.now().toISOString(),
        organization_id: world.organization,
        customer_id: customer.id,
        customer: { ...customer },
        external_customer_id: 'ada',
        member_id: null,
        external_member_id: null,
        child_count: 0,
        parent_id: null,
        label: (message.value as { label: string }).label,
        source: 'system',
        name,
        metadata,
      },
    ]);
  },
);

test('a checkout before its customer is stored without one', async () => {
  const context = {
    organization_id: world.organization,
    customer_id: null,
    external_customer_id: null,
    timestamp: world.clock.now(),
  };
  const metadata = { checkout_id: newId(), checkout_status: 'open' };
  const message = systemEvent('checkout.created', context, metadata);
  await world.service.deliver(message);
  expect((await get(`/v1/events/${message.id}`)).body).toMatchObject({
    customer_id: null,
    customer: null,
    metadata,
  });
});

import { createWorld, named, type World } from '../testing/world.ts';

let world: World;
let meterId: string;
let sumId: string;
beforeAll(async () => {
  world = await createWorld();
  const [ada, bob] = [
    await world.addCustomer({ external_id: 'ada' }),
    await world.addCustomer({ external_id: 'bob' }),
  ];
  meterId = (await world.createMeter({ filter: named('call') })).id;
  sumId = (await world.createMeter({ filter: named('call'), aggregation: { func: 'max', property: 'n' } }))
    .id;
  const event = (customer_id: string, timestamp: string, n: number, region = 'eu') => ({
    name: 'call',
    customer_id,
    timestamp,
    metadata: { n, region },
  });
  await world.ingest([
    event(ada.id, '2026-03-28T23:30:00Z', 1),
    event(ada.id, '2026-03-29T00:30:00Z', 2, 'us'),
    event(ada.id, '2026-03-30T10:00:00Z', 3),
    event(bob.id, '2026-03-30T10:59:59.999Z', 10),
    event(bob.id, '2026-03-31T00:00:00Z', 20),
  ]);
});
afterAll(() => world?.stop());

async function quantities(query: Record<string, string>, id = meterId) {
  const range = {
    start_timestamp: '2026-03-28T00:00:00Z',
    end_timestamp: '2026-03-31T00:00:00Z',
    interval: 'day',
  };
  const search = new URLSearchParams({ ...range, ...query });
  const { status, body } = await world.service.request('GET', `/v1/meters/${id}/quantities?${search}`, {
    as: world.merchant,
  });
  if (status !== 200)
    return { status, loc: body.detail.map((issue: { loc: string[] }) => issue.loc.join('.')) };
  const read = ({ timestamp, quantity }: { timestamp: string; quantity: number }) => [timestamp, quantity];
  return { total: body.total, quantities: body.quantities.map(read) };
}

test('days are all there, the end is not part of the range', async () => {
  expect(await quantities({})).toEqual({
    total: 4,
    quantities: [
      ['2026-03-28T00:00:00.000Z', 1],
      ['2026-03-29T00:00:00.000Z', 1],
      ['2026-03-30T00:00:00.000Z', 2],
    ],
  });
});

test('days begin at midnight of the time zone, over the change to summer time too', async () => {
  expect(await quantities({ timezone: 'Europe/Berlin' })).toEqual({
    total: 4,
    quantities: [
      ['2026-03-27T23:00:00.000Z', 0],
      ['2026-03-28T23:00:00.000Z', 2],
      ['2026-03-29T22:00:00.000Z', 2],
      ['2026-03-30T22:00:00.000Z', 0],
    ],
  });
});

test('hours are steps of sixty minutes', async () => {
  const range = {
    start_timestamp: '2026-03-30T09:30:00Z',
    end_timestamp: '2026-03-30T12:00:00Z',
    interval: 'hour',
  };
  expect(await quantities(range)).toEqual({
    total: 2,
    quantities: [
      ['2026-03-30T09:00:00.000Z', 0],
      ['2026-03-30T10:00:00.000Z', 2],
      ['2026-03-30T11:00:00.000Z', 0],
    ],
  });
  const kathmandu = await quantities({ ...range, timezone: 'Asia/Kathmandu' });
  expect(kathmandu.quantities[0][0]).toBe('2026-03-30T09:15:00.000Z');
});

test.each<[string, string[]]>([
  ['week', ['2026-03-23T00:00:00.000Z', '2026-03-30T00:00:00.000Z']],
  ['month', ['2026-03-01T00:00:00.000Z']],
  ['year', ['2026-01-01T00:00:00.000Z']],
])('a %s begins where it should', async (interval, starts) => {
  const { quantities: buckets, total } = await quantities({ interval });
  expect([buckets.map(([start]: [string]) => start), total]).toEqual([starts, 4]);
});

test('the meter’s own function makes the total', async () => {
  expect(await quantities({}, sumId)).toEqual({
    total: 10,
    quantities: [
      ['2026-03-28T00:00:00.000Z', 1],
      ['2026-03-29T00:00:00.000Z', 2],
      ['2026-03-30T00:00:00.000Z', 10],
    ],
  });
});

test('with a customer function customers come first', async () => {
  expect(await quantities({ customer_aggregation_function: 'sum' }, sumId)).toMatchObject({ total: 13 });
  expect(await quantities({ customer_aggregation_function: 'avg' }, sumId)).toMatchObject({ total: 6.5 });
  expect(await quantities({ customer_aggregation_function: 'count' })).toMatchObject({ total: 2 });
});

test('customers and metadata narrow it down', async () => {
  expect(await quantities({ external_customer_id: 'bob' })).toMatchObject({ total: 1 });
  expect(await quantities({ external_customer_id: 'nobody' })).toMatchObject({ total: 0 });
  expect(await quantities({ 'metadata[region]': 'us' })).toMatchObject({ total: 1 });
});

test.each<[Record<string, string>, string]>([
  [{ start_timestamp: '2022-12-31T23:59:59Z', interval: 'year' }, 'query.start_timestamp'],
  [{ end_timestamp: '2026-03-27T00:00:00Z' }, 'query.end_timestamp'],
  [{ interval: 'hour', end_timestamp: '2026-04-05T00:00:00Z' }, 'query.end_timestamp'],
  [{ interval: 'minute' }, 'query.interval'],
  [{ timezone: 'Europe/Atlantis' }, 'query.timezone'],
  [{ start_timestamp: '2026-03-28T00:00:00' }, 'query.start_timestamp'],
])('%p is refused', async (query, loc) => {
  expect(await quantities(query)).toEqual({ status: 422, loc: [loc] });
});

test('nothing measured comes to zero in every bucket', async () => {
  const range = { start_timestamp: '2024-01-01T00:00:00Z', end_timestamp: '2024-01-03T00:00:00Z' };
  expect(await quantities(range, sumId)).toEqual({
    total: 0,
    quantities: [
      ['2024-01-01T00:00:00.000Z', 0],
      ['2024-01-02T00:00:00.000Z', 0],
    ],
  });
});

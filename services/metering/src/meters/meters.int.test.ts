import { newId } from '@tributary/proto/id.ts';
import { organizationToken, personalToken } from '@tributary/runtime/testing/principals.ts';
import { createWorld, named, type World } from '../testing/world.ts';
import { countPast } from './backfill-meter.flow.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const body = (given: object = {}) => ({
  name: 'Tokens',
  filter: named('completion'),
  aggregation: { func: 'sum', property: 'tokens' },
  ...given,
});
const post = (given: object, as = world.merchant) =>
  world.service.request('POST', '/v1/meters/', { as, body: given });
const patch = (id: string, given: object, as = world.merchant) =>
  world.service.request('PATCH', `/v1/meters/${id}`, { as, body: given });
const get = (target: string, as = world.merchant) => world.service.request('GET', target, { as });

test('a meter is created with its defaults, told to the other services and read back', async () => {
  const { status, body: meter } = await post(body({ metadata: { plan: 'gold' } }));
  expect(status).toBe(201);
  expect(meter).toEqual({
    id: expect.any(String),
    created_at: world.clock.now().toISOString(),
    modified_at: null,
    metadata: { plan: 'gold' },
    name: 'Tokens',
    unit: 'scalar',
    custom_label: null,
    custom_multiplier: null,
    filter: named('completion'),
    aggregation: { func: 'sum', property: 'tokens' },
    organization_id: world.organization,
    archived_at: null,
  });
  expect((await get(`/v1/meters/${meter.id}`)).body).toEqual(meter);
  const told = (await world.service.outbox()).filter((message) => message.key === meter.id);
  expect(told.map(({ topic, type, value }) => ({ topic, type, value }))).toEqual([
    { topic: 'tributary.state.meters', type: 'meters.changed', value: meter },
  ]);
});

test.each<[string, object, (string | number)[], string]>([
  ['a name of two letters', { name: 'ab' }, ['body', 'name'], 'string_too_short'],
  ['a name of a megabyte', { name: 'x'.repeat(1024 * 1024) }, ['body', 'name'], 'string_too_long'],
  ['no filter', { filter: undefined }, ['body', 'filter'], 'missing'],
  [
    'an unknown operator',
    { filter: { conjunction: 'and', clauses: [{ property: 'a', operator: 'is', value: 1 }] } },
    ['body', 'filter', 'clauses', 0, 'operator'],
    'enum',
  ],
  [
    'a value beyond 32 bits',
    { filter: { conjunction: 'and', clauses: [{ property: 'a', operator: 'eq', value: 2 ** 31 }] } },
    ['body', 'filter', 'clauses', 0, 'value'],
    'less_than_equal',
  ],
  [
    'an unknown function',
    { aggregation: { func: 'median', property: 'a' } },
    ['body', 'aggregation', 'func'],
    'union_tag_invalid',
  ],
  ['a sum of nothing', { aggregation: { func: 'sum' } }, ['body', 'aggregation', 'property'], 'missing'],
  ['a custom unit without a label', { unit: 'custom' }, ['body', 'custom_label'], 'value_error'],
  ['a label without a custom unit', { custom_label: 'kB' }, ['body', 'custom_label'], 'value_error'],
  [
    'a multiplier of zero',
    { unit: 'custom', custom_label: 'kB', custom_multiplier: 0 },
    ['body', 'custom_multiplier'],
    'greater_than',
  ],
  [
    'half a surrogate pair in the filter',
    { filter: named('\ud800') },
    ['body', 'filter', 'clauses', 0, 'value'],
    'string_unicode',
  ],
  [
    'an organization, with its own token',
    { organization_id: newId() },
    ['body', 'organization_id'],
    'organization_token',
  ],
])('%s is refused', async (_what, given, loc, type) => {
  const { status, body: answer } = await post(body(given));
  expect([status, answer.detail[0].loc, answer.detail[0].type]).toEqual([422, loc, type]);
});

test('a filter nests 16 levels and no more', async () => {
  const nest = (depth: number): object => ({
    conjunction: 'and',
    clauses: depth === 1 ? [] : [nest(depth - 1)],
  });
  expect((await post(body({ filter: nest(16) }))).status).toBe(201);
  expect((await post(body({ filter: nest(17) }))).status).toBe(422);
});

test('leaving the custom unit drops its label and multiplier', async () => {
  const { body: meter } = await post(body({ unit: 'custom', custom_label: 'kB', custom_multiplier: 1024 }));
  expect(meter).toMatchObject({ unit: 'custom', custom_label: 'kB', custom_multiplier: 1024 });
  expect((await patch(meter.id, { custom_multiplier: null })).body).toMatchObject({
    custom_multiplier: null,
  });
  expect((await patch(meter.id, { unit: 'token' })).body).toMatchObject({
    unit: 'token',
    custom_label: null,
  });
  expect((await patch(meter.id, { unit: 'custom' })).status).toBe(422);
});

test('a change keeps what was not sent', async () => {
  const { body: meter } = await post(body({ metadata: { a: 1 } }));
  world.clock.advance({ minutes: 1 });
  const changed = await patch(meter.id, { name: null, metadata: { b: 2 } });
  expect(changed.body).toEqual({
    ...meter,
    metadata: { b: 2 },
    modified_at: world.clock.now().toISOString(),
  });
});

test('another organization neither reads, changes nor lists a meter', async () => {
  const { body: meter } = await post(body());
  const stranger = organizationToken(newId());
  expect((await get(`/v1/meters/${meter.id}`, stranger)).status).toBe(404);
  expect((await patch(meter.id, { name: 'Mine' }, stranger)).status).toBe(404);
  expect((await get('/v1/meters/', stranger)).body).toEqual({
    items: [],
    pagination: { total_count: 0, max_page: 0 },
  });
});

test('a user without an administrating role changes nothing', async () => {
  const { body: meter } = await post(body());
  const member = {
    ...personalToken([world.organization]),
    organizations: [{ id: world.organization, role: 'member' as const }],
  };
  const request = (method: string, target: string, given: object) =>
    world.service.request(method, target, { as: member, body: given });
  expect((await request('POST', '/v1/meters/', body({ organization_id: world.organization }))).status).toBe(
    403,
  );
  expect((await request('PATCH', `/v1/meters/${meter.id}`, { name: 'Mine' })).status).toBe(403);
});

test('lists filter by name, archive and metadata, and sort by name', async () => {
  const as = organizationToken(newId());
  const make = async (name: string, metadata = {}) => (await post(body({ name, metadata }), as)).body;
  const [b, a] = [await make('Beta_1', { tier: 1 }), await make('Alpha', { tier: 2 })];
  await patch(a.id, { is_archived: true }, as);
  const names = async (query: string) =>
    (await get(`/v1/meters/?${query}`, as)).body.items.map((meter: { name: string }) => meter.name);
  expect(await names('')).toEqual(['Alpha', 'Beta_1']);
  expect(await names('sorting=-name')).toEqual(['Beta_1', 'Alpha']);
  expect(await names('sorting=created_at')).toEqual(['Beta_1', 'Alpha']);
  expect(await names('query=BETA')).toEqual(['Beta_1']);
  expect(await names('query=a_1')).toEqual(['Beta_1']);
  expect(await names('is_archived=true')).toEqual(['Alpha']);
  expect(await names('is_archived=false')).toEqual(['Beta_1']);
  expect(await names('metadata[tier]=1')).toEqual(['Beta_1']);
  expect(await names(`organization_id=${b.organization_id}`)).toEqual(['Alpha', 'Beta_1']);
  expect(await names(`organization_id=${newId()}`)).toEqual([]);
  expect((await get('/v1/meters/?sorting=unit', as)).status).toBe(422);
});

test('a meter in use is not archived', async () => {
  const { body: meter } = await post(body());
  const price = { amount_type: 'metered_unit', meter_id: meter.id, is_archived: false };
  const product = { id: newId(), organization_id: world.organization, is_archived: false, prices: [price] };
  await world.replicate('products', product);
  const refused = await patch(meter.id, { is_archived: true });
  expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'is_archived']]);
  await world.replicate('products', { ...product, is_archived: true } as typeof product);
  const benefit = {
    id: newId(),
    organization_id: world.organization,
    type: 'meter_credit',
    is_deleted: false,
    properties: { meter_id: meter.id, units: 1, rollover: false },
  };
  await world.replicate('benefits', benefit);
  expect((await patch(meter.id, { is_archived: true })).status).toBe(422);
  await world.replicate('benefits', { ...benefit, is_deleted: true } as typeof benefit);
  const archived = await patch(meter.id, { is_archived: true });
  expect([archived.status, archived.body.archived_at]).toEqual([200, world.clock.now().toISOString()]);
});

test('a new meter counts what came before it and what comes meanwhile', async () => {
  const customer = await world.addCustomer();
  const name = newId();
  const events = (count: number) => Array.from({ length: count }, () => ({ name, customer_id: customer.id }));
  await world.ingest(events(4_500));
  const [meter] = await Promise.all([
    world.createMeter({ filter: named(name) }),
    ...Array.from({ length: 20 }, () => world.ingest(events(50))),
  ]);
  await countPast(world.app.db, meter.id);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 5_500 });
});

test('another filter counts everything anew, while events go on coming', async () => {
  const customer = await world.addCustomer();
  const [before, after] = [newId(), newId()];
  const meter = await world.createMeter({ filter: named(before) });
  const events = (name: string, count: number) =>
    Array.from({ length: count }, () => ({ name, customer_id: customer.id }));
  await world.ingest([...events(before, 30), ...events(after, 20)]);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 30 });
  await Promise.all([
    patch(meter.id, { filter: named(after) }),
    ...Array.from({ length: 10 }, () => world.ingest(events(after, 5))),
  ]);
  await countPast(world.app.db, meter.id);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 70 });
});

test('an archived meter collects nothing and leaves the lists of customer meters', async () => {
  const customer = await world.addCustomer();
  const name = newId();
  const meter = await world.createMeter({ filter: named(name) });
  const event = { name, customer_id: customer.id };
  await world.ingest([event]);
  await patch(meter.id, { is_archived: true });
  await world.ingest([event, event]);
  expect((await get(`/v1/customer-meters/?customer_id=${customer.id}`)).body.items).toEqual([]);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 1 });
  await patch(meter.id, { is_archived: false });
  await world.ingest([event]);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 2 });
});

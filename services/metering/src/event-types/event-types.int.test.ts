import { systemEvent } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
let customerId: string;
beforeAll(async () => {
  world = await createWorld();
  customerId = (await world.addCustomer({ external_id: 'ada' })).id;
  const event = (name: string, day: number, given: object = {}) => ({
    name,
    external_customer_id: 'ada',
    timestamp: `2026-06-0${day}T00:00:00Z`,
    ...given,
  });
  await world.ingest([
    event('chat', 1, { external_id: 'first', metadata: { _llm: llm('small') } }),
    event('chat', 3, { external_customer_id: 'bob', metadata: { _llm: llm('large') } }),
    event('search', 2, { parent_id: 'first' }),
  ]);
  await world.service.deliver(
    systemEvent(
      'subscription.past_due',
      {
        organization_id: world.organization,
        customer_id: customerId,
        external_customer_id: 'ada',
        timestamp: new Date('2026-06-04T00:00:00Z'),
      },
      { subscription_id: newId(), past_due_at: '2026-06-04T00:00:00Z' },
    ),
  );
});
afterAll(() => world?.stop());

const llm = (model: string) => ({
  vendor: 'acme',
  model,
  input_tokens: 1,
  output_tokens: 1,
  total_tokens: 2,
});
const get = (target: string, as = world.merchant) => world.service.request('GET', target, { as });
const names = async (path: string) =>
  (await get(path)).body.items.map((row: { name: string; occurrences: number }) => [
    row.name,
    row.occurrences,
  ]);

test('names are told with how often and when they were seen', async () => {
  const { body } = await get('/v1/events/names');
  expect(body.items).toEqual([
    {
      name: 'subscription.past_due',
      label: 'Subscription Past Due',
      source: 'system',
      occurrences: 1,
      first_seen: '2026-06-04T00:00:00.000Z',
      last_seen: '2026-06-04T00:00:00.000Z',
    },
    {
      name: 'chat',
      label: 'chat',
      source: 'user',
      occurrences: 2,
      first_seen: '2026-06-01T00:00:00.000Z',
      last_seen: '2026-06-03T00:00:00.000Z',
    },
    {
      name: 'search',
      label: 'search',
      source: 'user',
      occurrences: 1,
      first_seen: '2026-06-02T00:00:00.000Z',
      last_seen: '2026-06-02T00:00:00.000Z',
    },
  ]);
  expect(body.pagination).toEqual({ total_count: 3, max_page: 1 });
});

test.each<[string, [string, number][]]>([
  [
    'sorting=name&source=user',
    [
      ['chat', 2],
      ['search', 1],
    ],
  ],
  [
    'sorting=-occurrences&source=user',
    [
      ['chat', 2],
      ['search', 1],
    ],
  ],
  ['sorting=first_seen&limit=1', [['chat', 2]]],
  ['source=system', [['subscription.past_due', 1]]],
  ['query=CHA', [['chat', 2]]],
  [
    'external_customer_id=ada&source=user',
    [
      ['search', 1],
      ['chat', 1],
    ],
  ],
  ['external_customer_id=bob', [['chat', 1]]],
])('names by %s', async (query, expected) => {
  expect(await names(`/v1/events/names?${query}`)).toEqual(expected);
});

test('names of one customer', async () => {
  expect(await names(`/v1/events/names?customer_id=${customerId}&source=user`)).toEqual([
    ['search', 1],
    ['chat', 1],
  ]);
});

test('event types are the names with their records; system ones have none', async () => {
  const { items } = (await get('/v1/event-types/?sorting=name')).body;
  expect(items.map((type: { name: string; id: string | null }) => [type.name, typeof type.id])).toEqual([
    ['chat', 'string'],
    ['search', 'string'],
    ['subscription.past_due', 'object'],
  ]);
  expect(await names('/v1/event-types/?root_events=true&source=user')).toEqual([['chat', 2]]);
  const [root] = (await get('/v1/events/?name=chat&external_customer_id=ada')).body.items;
  expect(await names(`/v1/event-types/?parent_id=${root.id}`)).toEqual([['search', 1]]);
  expect(await names('/v1/event-types/?external_customer_id=bob')).toEqual([['chat', 1]]);
});

test('a label and a property that stands for it are shown on events', async () => {
  const [chat] = (await get('/v1/event-types/?query=chat')).body.items;
  const patch = (body: object, as = world.merchant) =>
    world.service.request('PATCH', `/v1/event-types/${chat.id}`, { as, body });
  const labels = async () =>
    (await get('/v1/events/?name=chat')).body.items.map((event: { label: string }) => event.label);
  expect((await patch({ label: 'Conversation' })).body).toMatchObject({
    id: chat.id,
    label: 'Conversation',
    label_property_selector: null,
    modified_at: world.clock.now().toISOString(),
  });
  expect(await labels()).toEqual(['Conversation', 'Conversation']);
  await patch({ label: 'Conversation', label_property_selector: '_llm.model' });
  expect(await labels()).toEqual(['large', 'small']);
  await patch({ label: 'Chats' });
  expect(await labels()).toEqual(['large', 'small']);
  await patch({ label: 'Chats', label_property_selector: null });
  expect(await labels()).toEqual(['Chats', 'Chats']);
  expect(await names('/v1/events/names?query=chats')).toEqual([['chat', 2]]);
  expect((await patch({ label: '' })).status).toBe(422);
  expect((await patch({})).body.detail[0].loc).toEqual(['body', 'label']);
  expect((await patch({ label: 'Mine' }, organizationToken(newId()))).status).toBe(404);
});

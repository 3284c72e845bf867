import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { sqlOf } from '../sql.ts';
import { createWorld, type World } from '../testing/world.ts';
import { linkRecent } from './parents-store.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const event = (external_id: string, parent_id?: string) => ({
  name: external_id,
  external_customer_id: 'c',
  external_id,
  ...(parent_id === undefined ? {} : { parent_id }),
});

async function find(name: string) {
  const { body } = await world.service.request('GET', `/v1/events/?name=${name}`, { as: world.merchant });
  return body.items[0];
}

test('a parent stored before is found by its external id and by its id', async () => {
  const [parent, byName, byId] = [newId(), newId(), newId()];
  await world.ingest([event(parent)]);
  const { id } = await find(parent);
  await world.ingest([event(byName, parent), event(byId, id)]);
  expect([(await find(byName)).parent_id, (await find(byId)).parent_id]).toEqual([id, id]);
  expect((await find(parent)).child_count).toBe(2);
});

test('parent and child may come in one request, in either order', async () => {
  const [parent, before, after] = [newId(), newId(), newId()];
  await world.ingest([event(before, parent), event(parent), event(after, parent)]);
  const { id, child_count } = await find(parent);
  expect([(await find(before)).parent_id, (await find(after)).parent_id, child_count]).toEqual([id, id, 2]);
});

test('a parent may come later', async () => {
  const [parent, child] = [newId(), newId()];
  await world.ingest([event(child, parent)]);
  expect((await find(child)).parent_id).toBeNull();
  await world.ingest([event(parent)]);
  expect((await find(child)).parent_id).toBe((await find(parent)).id);
});

test('parent and child stored at the same moment are linked afterwards at the latest', async () => {
  const pairs = Array.from({ length: 20 }, () => [newId(), newId()] as const);
  await Promise.all(
    pairs.flatMap(([parent, child]) => [world.ingest([event(child, parent)]), world.ingest([event(parent)])]),
  );
  await linkRecent(sqlOf(world.app.db.manager), new Date(0), 100);
  for (const [parent, child] of pairs) expect((await find(child)).parent_id).toBe((await find(parent)).id);
});

test('nobody is their own parent, and parents do not cross organizations', async () => {
  const [self, foreign, child] = [newId(), newId(), newId()];
  await world.ingest([event(self, self)]);
  expect(await find(self)).toMatchObject({ parent_id: null, child_count: 0 });
  await world.ingest([event(foreign)], organizationToken(newId()));
  await world.ingest([event(child, foreign)]);
  expect((await find(child)).parent_id).toBeNull();
});

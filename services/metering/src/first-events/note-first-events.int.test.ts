import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { createWorld, type World } from '../testing/world.ts';
import { noteFirsts } from './note-first-events.flow.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

/** Looks through all events that are stored by now. */
async function search(limit = 1_000): Promise<void> {
  const soon = new Date(Date.now() + 60_000);
  while (await inTransaction(world.app.db, (tx) => noteFirsts(tx, limit, soon)));
}

const told = async (customer: { id: string }): Promise<string[]> =>
  (await world.service.outbox())
    .filter(({ topic, key }) => topic === 'tributary.state.first_user_events' && key === customer.id)
    .map(({ value }) => (value as { first_user_event_at: string }).first_user_event_at);

const at = (minutesAgo: number) => new Date(world.clock.now().getTime() - minutesAgo * 60_000).toISOString();

test('a customer’s first event is told once, and again only when an earlier one comes in', async () => {
  const [one, other] = [await world.addCustomer(), await world.addCustomer()];
  const event = (customer: { id: string }, timestamp: string) => ({
    name: 'call',
    customer_id: customer.id,
    timestamp,
  });
  await world.ingest([event(one, at(20)), event(one, at(30)), event(other, at(5))]);
  await search(2);
  expect([await told(one), await told(other)]).toEqual([[at(30)], [at(5)]]);
  await world.ingest([event(one, at(10))]);
  await search();
  expect(await told(one)).toHaveLength(1);
  await world.ingest([event(one, at(40))]);
  await search();
  expect(await told(one)).toEqual([at(30), at(40)]);
});

test('what was done under an external id is its customer’s once there is one', async () => {
  const external_id = newId();
  await world.ingest([
    { name: 'call', external_customer_id: external_id, timestamp: at(7) },
    { name: 'call', external_customer_id: external_id, timestamp: at(9) },
  ]);
  await search();
  const customer = await world.addCustomer({ external_id });
  expect(await told(customer)).toEqual([at(9)]);
  await world.ingest([{ name: 'call', external_customer_id: external_id, timestamp: at(8) }]);
  await search();
  expect(await told(customer)).toHaveLength(1);
});

test('events that have just got their ids are left to the next look', async () => {
  const customer = await world.addCustomer();
  await world.ingest([{ name: 'call', customer_id: customer.id }]);
  await inTransaction(world.app.db, (tx) => noteFirsts(tx, 1_000, new Date()));
  expect(await told(customer)).toEqual([]);
  await search();
  expect(await told(customer)).toHaveLength(1);
});

test('events of a transaction that is still open are left to the next look, however long it takes', async () => {
  const customer = await world.addCustomer();
  const slow = world.app.db.createQueryRunner();
  await slow.startTransaction();
  await slow.query(
    `insert into events (id, organization_id, customer_id, timestamp, source, name, metadata)
     values ($1, $2, $3, $4, 'user', 'call', '{}')`,
    [newId(), customer.organization_id, customer.id, at(3)],
  );
  await world.ingest([{ name: 'call', external_customer_id: newId() }]);
  await search();
  await slow.commitTransaction();
  await slow.release();
  expect(await told(customer)).toEqual([]);
  await search();
  expect(await told(customer)).toEqual([at(3)]);
});

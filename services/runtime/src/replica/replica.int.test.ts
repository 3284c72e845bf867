import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import { pino } from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inboxSubscription } from '../messaging/inbox.ts';
import { MESSAGING_TABLES } from '../messaging/tables.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { type ResourcesClient, replica, replicaTable } from './replica.ts';

class CreateReplica1700000000000 implements MigrationInterface {
  name = 'CreateReplica1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${MESSAGING_TABLES} ${replicaTable('products_replica')}`);
  }
  async down(): Promise<void> {}
}

interface Product {
  id: string;
  organization_id: string;
  name: string;
}

let database: TestDatabase;
/** What the owner has, and every question it was asked. */
const owned = new Map<string, Product>();
const asked: string[][] = [];
const owner: ResourcesClient = {
  async getResources({ ids }) {
    asked.push(ids);
    return {
      resources: ids.flatMap((id) => (owned.has(id) ? [{ id, value: owned.get(id) as object }] : [])),
    };
  },
};
const products = replica<Product>('test', 'products', owner);

beforeAll(async () => {
  database = await createTestDatabase('replica', { entities: [], migrations: [CreateReplica1700000000000] });
});
afterAll(() => database?.drop());
beforeEach(() => {
  asked.length = 0;
});

const product = (name: string): Product => ({ id: newId(), organization_id: newId(), name });
const hear = (id: string, value: Product | null) =>
  inboxSubscription({
    service: 'test',
    db: database.db,
    app: {},
    consumers: [products.consumer],
    log: pino({ level: 'silent' }),
  }).deliver([
    {
      id: newId(),
      topic: stateTopics.products.name,
      key: id,
      type: 'products.changed',
      subject: id,
      value,
      time: new Date(),
      source: '/tributary/catalog',
      traceparent: null,
    },
  ]);
const get = async (...ids: string[]) => Object.fromEntries(await products.get(database.db, ids));

describe('a replica', () => {
  test('serves what the state topic brought without asking the owner', async () => {
    const one = product('one');
    await hear(one.id, one);
    expect(await get(one.id)).toEqual({ [one.id]: one });
    expect(asked).toEqual([]);
  });

  test('asks the owner once for all that is missing, and keeps the answer', async () => {
    const [one, two] = [product('one'), product('two')];
    owned.set(one.id, one).set(two.id, two);
    expect(await get(one.id, two.id, one.id)).toEqual({ [one.id]: one, [two.id]: two });
    await get(one.id, two.id);
    expect(asked).toEqual([[one.id, two.id]]);
  });

  test('leaves out what the owner does not know', async () => {
    expect(await get(newId())).toEqual({});
  });

  test('does not bring a deleted resource back by asking', async () => {
    const gone = product('gone');
    owned.set(gone.id, gone);
    await hear(gone.id, gone);
    await hear(gone.id, null);
    expect(await get(gone.id)).toEqual({});
    expect(asked).toEqual([]);
  });

  test('follows later states', async () => {
    const one = product('before');
    owned.set(one.id, one);
    await get(one.id);
    await hear(one.id, { ...one, name: 'after' });
    expect((await get(one.id))[one.id]!.name).toBe('after');
  });
});

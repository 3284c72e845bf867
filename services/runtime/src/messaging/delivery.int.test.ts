import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import { pino } from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { inTransaction } from '../db/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { eventually } from '../testing/eventually.ts';
import { describeWithKafka } from '../testing/servers/kafka.ts';
import { consumerFor } from './consumer.ts';
import { inProcessTransport } from './in-process.ts';
import { inboxSubscription } from './inbox.ts';
import { kafkaTransport } from './kafka.ts';
import type { Transport } from './message.ts';
import { emit } from './outbox.ts';
import { startRelay } from './relay.ts';
import { MESSAGING_TABLES } from './tables.ts';

class CreateSeen1700000000000 implements MigrationInterface {
  name = 'CreateSeen1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${MESSAGING_TABLES}
      create table seen (place bigint generated always as identity, key text not null, number integer not null)`);
  }
  async down(): Promise<void> {}
}

const log = pino({ level: 'silent' });
const topic = stateTopics.meters.name;
const numbered = z.object({ number: z.int() });

const message = (key: string, value: object) => ({
  id: newId(),
  topic,
  key,
  type: 'meters.changed',
  subject: key,
  value,
});

function suite(open: (group: string) => Promise<{ transport: Transport; begin: () => void }>) {
  let database: TestDatabase;
  let transport: Transport;
  let stopRelay: () => Promise<void>;
  /** How often each message still has to fail, by its number. */
  const failures = new Map<number, number>();

  const record = consumerFor<object>()({
    name: 'test.record',
    topic,
    schema: numbered,
    handle: async ({ key, value }, tx) => {
      await tx.query('insert into seen (key, number) values ($1, $2)', [key, value!.number]);
      const left = failures.get(value!.number) ?? 0;
      if (left > 0) {
        failures.set(value!.number, left - 1);
        throw new Error('not this time');
      }
    },
  });

  beforeAll(async () => {
    database = await createTestDatabase('messaging', { entities: [], migrations: [CreateSeen1700000000000] });
    const service = `test-${newId()}`;
    const opened = await open(service);
    transport = opened.transport;
    await transport.subscribe(
      inboxSubscription({ service, db: database.db, app: {}, consumers: [record], log }),
    );
    opened.begin();
    stopRelay = startRelay({ databaseUrl: database.url, transport, service, log });
  });
  afterAll(async () => {
    await stopRelay?.();
    await transport?.stop();
    await database?.drop();
  });

  const numbersOf = async (key: string): Promise<number[]> =>
    (await database.db.query('select number from seen where key = $1 order by place', [key])).map(
      (row: { number: number }) => row.number,
    );
  const send = (messages: ReturnType<typeof message>[]) =>
    inTransaction(database.db, (tx) => emit(tx, messages));
  const outboxSize = async () => (await database.db.query('select count(*) as count from outbox'))[0].count;

  test('a committed message arrives once, and leaves the outbox', async () => {
    const key = newId();
    await send([message(key, { number: 1 })]);
    await eventually(async () => expect(await numbersOf(key)).toEqual([1]));
    await eventually(async () => expect(await outboxSize()).toBe(0));
  });

  test('a message of a transaction that rolled back never arrives', async () => {
    const key = newId();
    await expect(
      inTransaction(database.db, async (tx) => {
        await emit(tx, [message(key, { number: 1 })]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await send([message(key, { number: 2 })]);
    await eventually(async () => expect(await numbersOf(key)).toEqual([2]));
  });

  test('a thousand messages of twenty keys keep the order of each key', async () => {
    const keys = Array.from({ length: 20 }, () => newId());
    for (let number = 0; number < 50; number += 1) await send(keys.map((key) => message(key, { number })));
    const expected = Array.from({ length: 50 }, (_, number) => number);
    await eventually(async () => {
      for (const key of keys) expect(await numbersOf(key)).toEqual(expected);
    });
  });

  test('the same message delivered three times takes effect once', async () => {
    const key = newId();
    const repeated = message(key, { number: 7 });
    await send([repeated]);
    await send([repeated]);
    await send([repeated, message(key, { number: 8 })]);
    await eventually(async () => expect(await numbersOf(key)).toEqual([7, 8]));
  });

  test('a failing consumer is tried again without a trace of the failed tries', async () => {
    const key = newId();
    failures.set(1001, 2);
    await send([message(key, { number: 1001 }), message(key, { number: 1002 })]);
    await eventually(async () => expect(await numbersOf(key)).toEqual([1001, 1002]));
  });

  test('a message that cannot be read is parked with its error, and its successors go on', async () => {
    const key = newId();
    const poison = message(key, { number: 'many' });
    await send([poison, message(key, { number: 3 })]);
    await eventually(async () => expect(await numbersOf(key)).toEqual([3]));
    const parked = await database.db.query(
      'select consumer, topic, error, message from parked_messages where event_id = $1',
      [poison.id],
    );
    expect(parked).toMatchObject([
      { consumer: 'test.record', topic, message: { key, value: { number: 'many' } } },
    ]);
    expect(parked[0].error).toContain('number');
  });

  test('two relays on one outbox publish nothing twice', async () => {
    const second = startRelay({ databaseUrl: database.url, transport, service: 'twin', log });
    const key = newId();
    await send(Array.from({ length: 30 }, (_, number) => message(key, { number })));
    await eventually(async () => expect(await numbersOf(key)).toHaveLength(30));
    await second();
    expect(await numbersOf(key)).toEqual(Array.from({ length: 30 }, (_, number) => number));
  });
}

describe('delivery within the process', () =>
  suite(async () => {
    const transport = inProcessTransport();
    return { transport, begin: transport.open };
  }));

describeWithKafka('delivery over Kafka', (brokers) =>
  suite(async (clientId) => ({
    transport: kafkaTransport({ brokers: await brokers(), clientId, log }),
    begin: () => undefined,
  })),
);

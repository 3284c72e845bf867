import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '@tributary/proto/id.ts';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Problem, ServiceUnavailable } from '../http/problem.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { eventually } from '../testing/eventually.ts';
import { messageOn } from '../testing/message.ts';
import { describeWithKafka } from '../testing/servers/kafka.ts';
import { createTestTopics } from '../testing/topics.ts';
import { type Consumer, consumerFor } from './consumer.ts';
import { inboxSubscription } from './inbox.ts';
import { kafkaTransport } from './kafka.ts';
import type { Message, Transport } from './message.ts';
import { MESSAGING_TABLES } from './tables.ts';

class CreateSeen1700000000001 implements MigrationInterface {
  name = 'CreateSeen1700000000001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${MESSAGING_TABLES} create table seen (id uuid primary key)`);
  }
  async down(): Promise<void> {}
}

const log = pino({ level: 'silent' });
/** A topic of its own: the services of other tests would take its messages for theirs. */
const topic = 'tributary.test.outages';

const message = (given: Partial<Message> = {}) => messageOn(topic, given);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('outages', { entities: [], migrations: [CreateSeen1700000000001] });
});
afterAll(() => database?.drop());

const record = consumerFor<object>()({
  name: 'test.record',
  topic,
  handle: async ({ id }, tx) => {
    await tx.query('insert into seen (id) values ($1)', [id]);
  },
});
const subscriptionOf = (consumer: Consumer<object>, service = `test-${newId()}`) =>
  inboxSubscription({ service, db: database.db, app: {}, consumers: [consumer], log });
const hasSeen = async (id: string) =>
  (await database.db.query('select 1 from seen where id = $1', [id])).length === 1;
const parkedOf = (id: string) =>
  database.db.query('select consumer, error, message from parked_messages where event_id = $1', [id]);

test('a message waits for a service that is away, however long, and is not set aside', async () => {
  let isAway = true;
  const asking = consumerFor<object>()({
    ...record,
    name: 'test.asking',
    prepare: async () => {
      if (isAway) throw new Problem(ServiceUnavailable, 'not now');
    },
  });
  const subscription = subscriptionOf(asking);
  const waiting = message();
  for (let delivery = 0; delivery < 8; delivery += 1)
    await expect(subscription.deliver([waiting])).rejects.toThrow('not now');
  isAway = false;
  await subscription.deliver([waiting]);
  expect(await hasSeen(waiting.id)).toBe(true);
  expect(await parkedOf(waiting.id)).toEqual([]);
});

test('a message waits for a database connection that broke, and is not set aside', async () => {
  let isBroken = true;
  const broken = consumerFor<object>()({
    ...record,
    name: 'test.broken',
    handle: async (given, tx) => {
      if (isBroken) await tx.query('select pg_terminate_backend(pg_backend_pid())');
      await record.handle(given as never, tx, {} as never, undefined as never);
    },
  });
  const subscription = subscriptionOf(broken);
  const waiting = message();
  for (let delivery = 0; delivery < 7; delivery += 1)
    await expect(subscription.deliver([waiting])).rejects.toThrow();
  isBroken = false;
  await subscription.deliver([waiting]);
  expect(await hasSeen(waiting.id)).toBe(true);
  expect(await parkedOf(waiting.id)).toEqual([]);
});

test('a message with text that PostgreSQL cannot hold is set aside all the same', async () => {
  const failing = consumerFor<object>()({
    name: 'test.failing',
    topic,
    handle: async () => {
      throw new Error('no');
    },
  });
  const odd = message({ value: { name: 'a\0b', rest: '\ud800', kept: '\\u0000' } });
  await subscriptionOf(failing).deliver([odd]);
  const [parked] = await parkedOf(odd.id);
  expect(parked.message.value).toEqual({ name: 'a\ufffdb', rest: '\ufffd', kept: '\\u0000' });
}, 20_000);

describeWithKafka('over Kafka', (brokers) => {
  let kafka: Kafka;
  const opened: Transport[] = [];
  const open = async () => {
    const transport = kafkaTransport({ brokers: await brokers(), clientId: 'test', log });
    opened.push(transport);
    await eventually(() => transport.ready());
    return transport;
  };
  beforeAll(async () => {
    kafka = new Kafka({ brokers: await brokers(), logLevel: logLevel.NOTHING });
    await createTestTopics(await brokers(), [topic, `${topic}.dead`], 6);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((transport) => transport.stop()));
  });

  test('what is no message of ours is set aside, and its successors are handled', async () => {
    const transport = await open();
    const service = `test-${newId()}`;
    await transport.subscribe(subscriptionOf(record, service));
    const producer = kafka.producer();
    await producer.connect();
    const key = newId();
    const headers = {
      ce_specversion: '1.0',
      ce_id: newId(),
      ce_type: 'x',
      ce_source: '/x',
      ce_time: '2026-01-01',
    };
    await producer.send({
      topic,
      messages: [
        { key, value: 'no headers' },
        { key, value: 'not JSON', headers },
        { key, value: '{}', headers: { ...headers, ce_id: 'not a UUID' } },
      ],
    });
    await producer.disconnect();
    const good = message({ key });
    await transport.publish([good]);
    await eventually(async () => expect(await hasSeen(good.id)).toBe(true));
    const parked = await database.db.query(
      'select error, message, topic from parked_messages where consumer = $1',
      [`${service}.unreadable`],
    );
    const texts = parked.map((row: { message: Message }) => row.message.value).filter(Boolean);
    expect(texts.toSorted()).toEqual(expect.arrayContaining(['no headers', 'not JSON', '{}']));
    const dead: { value: unknown }[] = await database.db.query('select value from outbox where topic = $1', [
      `${topic}.dead`,
    ]);
    expect(dead.length).toBeGreaterThanOrEqual(3);
  });

  test('a service does not wait at its start for members of its group that were killed', async () => {
    const groupId = `tributary.test-${newId()}`;
    const ghost = kafka.consumer({ groupId, sessionTimeout: 10_000, heartbeatInterval: 3_000 });
    await ghost.connect();
    await ghost.subscribe({ topics: [topic] });
    const joined = new Promise((resolve) => ghost.on(ghost.events.GROUP_JOIN, resolve));
    await ghost.run({ eachMessage: async () => undefined });
    await joined;
    const transport = await open();
    const startedAt = Date.now();
    await transport.subscribe({ ...subscriptionOf(record), group: groupId.replace('tributary.', '') });
    expect(Date.now() - startedAt).toBeLessThan(1_000);
    await ghost.disconnect();
  });

  test('a backlog larger than what a broker takes at once is published, in order', async () => {
    const transport = await open();
    const key = newId();
    const arrived: unknown[] = [];
    await transport.subscribe({
      group: `test-${newId()}`,
      topics: [topic],
      async deliver(messages) {
        arrived.push(
          ...messages
            .filter((each) => each.key === key)
            .map(({ value }) => (value as { number: number }).number),
        );
      },
    });
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    await transport.publish(
      numbers.map((number) => message({ key, value: { number, text: 'ä'.repeat(3_000) } })),
    );
    await eventually(async () => expect(arrived).toEqual(numbers));
  });

  test('a consumer that is told to stop finishes what it holds', async () => {
    const transport = await open();
    const holding = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const finished: string[] = [];
    const mine = newId();
    await transport.subscribe({
      group: `test-${newId()}`,
      topics: [topic],
      async deliver(messages) {
        const ids = messages.map(({ id }) => id);
        if (!ids.includes(mine)) return;
        holding.resolve();
        await release.promise;
        finished.push(...ids);
      },
    });
    await transport.publish([message({ id: mine })]);
    await holding.promise;
    const stopped = transport.stop().then(() => finished.includes(mine));
    expect(await Promise.race([stopped, pause(300, 'still holding')])).toBe('still holding');
    release.resolve();
    expect(await stopped).toBe(true);
  });

  test('a consumer that an error ended goes on', async () => {
    const transport = await open();
    let isWrong = true;
    const arrived: string[] = [];
    const mine = newId();
    await transport.subscribe({
      group: `test-${newId()}`,
      topics: [topic],
      async deliver(messages) {
        if (isWrong) throw new TypeError('a bug that comes and goes');
        arrived.push(...messages.map(({ id }) => id));
      },
    });
    await transport.publish([message({ id: mine })]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    isWrong = false;
    await eventually(async () => expect(arrived).toContain(mine), 20_000);
  }, 40_000);
});

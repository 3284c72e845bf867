import { allTopics } from '@tributary/proto/events/topics.ts';
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs';

const clientOf = (broker: string) => new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING });
const READ_MS = 120_000;

/** Puts every message of the event topics there again, `times` over, with its headers as they are. */
export async function republish(broker: string, times: number): Promise<number> {
  const kafka = clientOf(broker);
  const names = allTopics.filter(({ cleanupPolicy }) => cleanupPolicy === 'delete').map(({ name }) => name);
  const read = await readAll(kafka, names);
  const producer = kafka.producer();
  await producer.connect();
  let count = 0;
  for (let time = 0; time < times; time += 1) {
    for (const [topic, records] of read) {
      const messages = records.map(({ key, value, headers }) => ({ key, value, headers }));
      if (messages.length > 0) await producer.send({ topic, messages });
      count += messages.length;
    }
  }
  await producer.disconnect();
  return count;
}

/** Everything that lies on the topics now. */
export async function readAll(kafka: Kafka, topics: readonly string[]): Promise<Map<string, KafkaMessage[]>> {
  const admin = kafka.admin();
  await admin.connect();
  const ends = new Map<string, number>();
  for (const topic of topics) {
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic))
      if (Number(high) > Number(low)) ends.set(`${topic} ${partition}`, Number(high));
  }
  const read = new Map<string, KafkaMessage[]>(topics.map((topic) => [topic, []]));
  const groupId = `chaos-${crypto.randomUUID()}`;
  const consumer = kafka.consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  const done = Promise.withResolvers<void>();
  const cutOff = setTimeout(() => done.reject(new Error('reading the topics took too long')), READ_MS);
  if (ends.size === 0) done.resolve();
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => {
      const end = ends.get(`${topic} ${partition}`);
      if (end === undefined || Number(message.offset) >= end) return;
      read.get(topic)!.push(message);
      if (Number(message.offset) === end - 1) ends.delete(`${topic} ${partition}`);
      if (ends.size === 0) done.resolve();
    },
  });
  await done.promise.finally(() => clearTimeout(cutOff));
  await consumer.disconnect();
  await admin.disconnect();
  return read;
}

/** Puts on every topic what no service can read; how many there are. */
export async function publishUnreadable(broker: string): Promise<number> {
  const producer = clientOf(broker).producer();
  await producer.connect();
  for (const { name } of allTopics)
    await producer.send({ topic: name, messages: [{ key: 'nobody', value: 'not for anybody' }] });
  await producer.disconnect();
  return allTopics.length;
}

import { randomUUID } from 'node:crypto';
import { toHeaders } from '@tributary/proto/events/cloud-events.ts';
import { allTopics, stateTopics, type Topic, webhooksTopic } from '@tributary/proto/events/topics.ts';
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs';

const clientOf = (broker: string) => new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING });
const READ_MS = 120_000;
/** Messages sent together: far below the mebibyte that a broker takes at once. */
const BATCH = 20;

const eventTopicNames = allTopics
  .filter(({ cleanupPolicy }: Topic) => cleanupPolicy === 'delete')
  .map(({ name }) => name);
/** Topics whose keys have a history of their own. */
export const orderedTopicNames: readonly string[] = [
  ...Object.values(stateTopics).map(({ name }) => name),
  ...eventTopicNames.filter((name) => name !== webhooksTopic.name),
];

/** Puts every message of the event topics that came since then there again, `times` over, with its headers as they are. */
export async function republish(broker: string, since: Date, times: number): Promise<number> {
  const read = await readTopics(broker, eventTopicNames, since);
  const producer = clientOf(broker).producer();
  await producer.connect();
  let count = 0;
  for (let time = 0; time < times; time += 1) {
    for (const [topic, records] of read) {
      const messages = records.map(({ key, value, headers }) => ({ key, value, headers }));
      for (let from = 0; from < messages.length; from += BATCH)
        await producer.send({ topic, messages: messages.slice(from, from + BATCH) });
      count += messages.length;
    }
  }
  await producer.disconnect();
  return count;
}

/** Everything that came to the topics since then; per key in the order of the topic. */
export async function readTopics(
  broker: string,
  topics: readonly string[],
  since: Date,
): Promise<Map<string, KafkaMessage[]>> {
  const kafka = clientOf(broker);
  const read = new Map<string, KafkaMessage[]>(topics.map((topic) => [topic, []]));
  const spans = await spansOf(kafka, topics, since);
  if (spans.length === 0) return read;
  const ends = new Map(spans.map(({ topic, partition, end }) => [`${topic} ${partition}`, end]));
  const consumer = kafka.consumer({ groupId: `chaos-${crypto.randomUUID()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics: [...new Set(spans.map(({ topic }) => topic))] });
  const done = Promise.withResolvers<void>();
  const cutOff = setTimeout(() => done.reject(new Error('reading the topics took too long')), READ_MS);
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message }) => {
      const end = ends.get(`${topic} ${partition}`);
      if (end === undefined) return;
      if (Number(message.offset) < end) read.get(topic)!.push(message);
      if (Number(message.offset) >= end - 1) ends.delete(`${topic} ${partition}`);
      if (ends.size === 0) done.resolve();
    },
  });
  for (const { topic, partition, start } of spans) consumer.seek({ topic, partition, offset: String(start) });
  await done.promise.finally(() => clearTimeout(cutOff));
  await consumer.disconnect();
  return read;
}

/** Where each partition's messages since then begin and end; nothing for those that have none. */
async function spansOf(kafka: Kafka, topics: readonly string[], since: Date) {
  const admin = kafka.admin();
  await admin.connect();
  const spans = await Promise.all(
    topics.map(async (topic) => {
      const ends = await admin.fetchTopicOffsets(topic);
      const starts = await admin.fetchTopicOffsetsByTimestamp(topic, since.getTime());
      const startOf = new Map(starts.map(({ partition, offset }) => [partition, Number(offset)]));
      return ends.map(({ partition, high }) => ({
        topic,
        partition,
        start: startOf.get(partition) ?? 0,
        end: Number(high),
      }));
    }),
  );
  await admin.disconnect();
  return spans.flat().filter(({ start, end }) => start >= 0 && start < end);
}

/**
 * Puts on every topic a record that is no message at all, and a message whose value makes no sense to anybody.
 * @returns the ids of the messages
 */
export async function publishPoison(broker: string): Promise<string[]> {
  const producer = clientOf(broker).producer();
  await producer.connect();
  const ids: string[] = [];
  for (const { name } of allTopics) {
    const id = randomUUID();
    const headers = toHeaders({
      id,
      type: 'poison',
      source: '/chaos',
      subject: null,
      time: new Date(),
      traceparent: null,
    });
    const value = 'not for anybody';
    await producer.send({
      topic: name,
      messages: [
        { key: 'nobody', value },
        { key: 'nobody', value: JSON.stringify({ value }), headers },
      ],
    });
    ids.push(id);
  }
  await producer.disconnect();
  return ids;
}

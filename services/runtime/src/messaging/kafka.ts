import { setTimeout as pause } from 'node:timers/promises';
import { fromHeaders, toHeaders } from '@tributary/proto/events/cloud-events.ts';
import { allTopics, deadTopic, kafkaConfig } from '@tributary/proto/events/topics.ts';
import {
  CompressionTypes,
  type Consumer,
  type EachBatchPayload,
  Kafka,
  type KafkaMessage,
  logLevel,
} from 'kafkajs';
import type { Logger } from '../log.ts';
import type { Message, Subscription, Transport } from './message.ts';

const CHUNK = 200;
const RETRIES = { retries: 8, initialRetryTime: 100, maxRetryTime: 5_000 };

export interface KafkaOptions {
  /** `host:port` of some brokers. */
  brokers: string[];
  clientId: string;
  log: Logger;
}

/** Kafka: idempotent producer, acknowledgement of all in-sync replicas, offsets moved only after handling. */
export async function kafkaTransport(options: KafkaOptions): Promise<Transport> {
  const kafka = new Kafka({
    brokers: options.brokers,
    clientId: options.clientId,
    retry: RETRIES,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => options.log.warn({ kafka: entry.log }, entry.log.message),
  });
  const admin = kafka.admin();
  await admin.connect();
  await createTopics(admin);
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    retry: RETRIES,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  const consumers: Consumer[] = [];
  return {
    async publish(messages) {
      const byTopic = Map.groupBy(messages, (message) => message.topic);
      const topicMessages = [...byTopic].map(([topic, list]) => ({ topic, messages: list.map(toKafka) }));
      await producer.sendBatch({ topicMessages, acks: -1, compression: CompressionTypes.None });
    },
    async subscribe(subscription) {
      if (subscription.topics.length === 0) return;
      const consumer = kafka.consumer({
        groupId: `tributary.${subscription.group}`,
        sessionTimeout: 20_000,
        rebalanceTimeout: 40_000,
        retry: { ...RETRIES, restartOnFailure: async () => true },
      });
      consumers.push(consumer);
      await consumer.connect();
      await consumer.subscribe({ topics: [...subscription.topics], fromBeginning: true });
      await consumer.run({
        autoCommit: true,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 4,
        eachBatch: (payload) => deliverBatch(payload, subscription),
      });
    },
    async ready() {
      await admin.describeCluster();
    },
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.disconnect()));
      await producer.disconnect();
      await admin.disconnect();
    },
  };
}

async function deliverBatch(payload: EachBatchPayload, subscription: Subscription): Promise<void> {
  const { batch, heartbeat, isRunning, isStale, resolveOffset } = payload;
  for (let start = 0; start < batch.messages.length; start += CHUNK) {
    if (!isRunning() || isStale()) return;
    const chunk = batch.messages.slice(start, start + CHUNK);
    await withHeartbeat(
      heartbeat,
      subscription.deliver(chunk.map((message) => fromKafka(batch.topic, message))),
    );
    resolveOffset(chunk.at(-1)!.offset);
    await payload.commitOffsetsIfNecessary();
  }
}

/** Keeps the group membership alive while a slow chunk is handled. */
async function withHeartbeat(heartbeat: () => Promise<void>, work: Promise<void>): Promise<void> {
  const timer = setInterval(() => void heartbeat().catch(() => undefined), 3_000);
  try {
    await work;
  } finally {
    clearInterval(timer);
  }
}

const toKafka = (message: Message) => ({
  key: message.key,
  value: message.value === null ? null : JSON.stringify(message.value),
  headers: toHeaders(message),
});

function fromKafka(topic: string, message: KafkaMessage): Message {
  const headers = Object.fromEntries(
    Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value ?? '')]),
  );
  return {
    ...fromHeaders(headers),
    topic,
    key: message.key?.toString() ?? '',
    value: message.value === null ? null : JSON.parse(message.value.toString()),
  };
}

async function createTopics(admin: ReturnType<Kafka['admin']>): Promise<void> {
  const topics = [...allTopics, ...allTopics.map(deadTopic)].map((topic) => ({
    topic: topic.name,
    numPartitions: topic.partitions,
    replicationFactor: -1,
    configEntries: Object.entries(kafkaConfig(topic)).map(([name, value]) => ({ name, value })),
  }));
  for (let attempt = 1; ; attempt += 1) {
    try {
      await admin.createTopics({ topics, waitForLeaders: true });
      return;
    } catch (error) {
      // Another service creating the same topics at the same moment is the usual cause.
      if (attempt === 5) throw error;
      await pause(200 * attempt * (0.5 + Math.random()));
    }
  }
}

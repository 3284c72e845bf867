import { setTimeout as pause } from 'node:timers/promises';
import { allTopics, deadTopic, kafkaConfig } from '@tributary/proto/events/topics.ts';
import { CompressionTypes, Kafka, logLevel, type Producer } from 'kafkajs';
import type { Logger } from '../log.ts';
import { keepConsuming } from './kafka-consumer.ts';
import { recordOf } from './kafka-message.ts';
import type { Message, Transport } from './message.ts';

const RETRIES = { retries: 8, initialRetryTime: 100, maxRetryTime: 5_000 };
const PART_BYTES = 512 * 1024;
/** What a message's headers and frame come to. */
const HEADER_BYTES = 512;

export interface KafkaOptions {
  /** `host:port` of some brokers. */
  brokers: string[];
  clientId: string;
  log: Logger;
}

/** Kafka: idempotent producer, acknowledgement of all in-sync replicas, offsets moved only after handling. */
export async function kafkaTransport(options: KafkaOptions): Promise<Transport> {
  const { log } = options;
  const kafka = new Kafka({
    brokers: options.brokers,
    clientId: options.clientId,
    retry: RETRIES,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => log.warn({ kafka: entry.log }, entry.log.message),
  });
  const admin = kafka.admin();
  await admin.connect();
  await createTopics(admin);
  const producer = renewedProducer(kafka);
  await producer.connect();
  const stops: (() => Promise<void>)[] = [];
  return {
    async publish(messages) {
      for (const part of partsOf(messages)) await producer.send(part);
    },
    async subscribe(subscription) {
      if (subscription.topics.length > 0)
        stops.push(keepConsuming({ kafka, retry: RETRIES, log }, subscription));
    },
    async ready() {
      await admin.describeCluster();
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await producer.disconnect();
      await admin.disconnect();
    },
  };
}

interface TopicRecords {
  topic: string;
  messages: ReturnType<typeof recordOf>[];
}

/** The messages in order, in parts that a broker takes: it refuses a batch above 1 MiB, and a backlog is soon larger. */
function partsOf(messages: readonly Message[]): TopicRecords[][] {
  const parts: Map<string, TopicRecords>[] = [];
  let size = PART_BYTES;
  for (const message of messages) {
    const record = recordOf(message);
    const bytes = Buffer.byteLength(record.value ?? '') + Buffer.byteLength(record.key) + HEADER_BYTES;
    size += bytes;
    if (size > PART_BYTES) {
      parts.push(new Map());
      size = bytes;
    }
    const part = parts.at(-1)!;
    const { topic } = message;
    if (!part.has(topic)) part.set(topic, { topic, messages: [] });
    part.get(topic)!.messages.push(record);
  }
  return parts.map((part) => [...part.values()]);
}

/**
 * A producer that is replaced after a failed send. Its numbering goes back when a send fails, though the broker may
 * have taken the messages: what it sends next under the same numbers would be refused for good, or, if it happens to be
 * as long, taken for a repetition and dropped. A new producer has a number of its own.
 */
function renewedProducer(kafka: Kafka) {
  let current: Promise<Producer> | undefined;
  const connected = async () => {
    const producer = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      retry: RETRIES,
      allowAutoTopicCreation: false,
    });
    await producer.connect();
    return producer;
  };
  const discard = async (producer: Promise<Producer>) => {
    if (current === producer) current = undefined;
    await (await producer).disconnect();
  };
  const producer = () => {
    current ??= connected();
    return current;
  };
  return {
    connect: producer,
    async send(topicMessages: TopicRecords[]) {
      const used = producer();
      try {
        await (await used).sendBatch({ topicMessages, acks: -1, compression: CompressionTypes.None });
      } catch (error) {
        await discard(used).catch(() => undefined);
        throw error;
      }
    },
    disconnect: async () => {
      if (current) await discard(current).catch(() => undefined);
    },
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

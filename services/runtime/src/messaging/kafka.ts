import { setTimeout as pause } from 'node:timers/promises';
import { allTopics, deadTopic, kafkaConfig } from '@tributary/proto/events/topics.ts';
import { CompressionTypes, Kafka, logLevel, type Producer } from 'kafkajs';
import type { Logger } from '../log.ts';
import { keepConsuming } from './kafka-consumer.ts';
import { recordOf } from './kafka-message.ts';
import type { Transport } from './message.ts';

const RETRIES = { retries: 8, initialRetryTime: 100, maxRetryTime: 5_000 };

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
      const byTopic = Map.groupBy(messages, (message) => message.topic);
      await producer.send([...byTopic].map(([topic, list]) => ({ topic, messages: list.map(recordOf) })));
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
    async send(topicMessages: { topic: string; messages: ReturnType<typeof recordOf>[] }[]) {
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

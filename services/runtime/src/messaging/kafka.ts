import { setTimeout as pause } from 'node:timers/promises';
import { allTopics, deadTopic, kafkaConfig } from '@tributary/proto/events/topics.ts';
import { type Admin, CompressionTypes, Kafka, logLevel, type Producer } from 'kafkajs';
import { within } from '../deadline.ts';
import type { Logger } from '../log.ts';
import { readBacklog } from './kafka-backlog.ts';
import { keepConsuming } from './kafka-consumer.ts';
import { recordOf } from './kafka-message.ts';
import type { Message, Transport } from './message.ts';

const RETRIES = { retries: 8, initialRetryTime: 100, maxRetryTime: 5_000 };
/** Whoever publishes tries again by himself, and may be told to stop meanwhile. */
const FEW_RETRIES = { retries: 4, initialRetryTime: 100, maxRetryTime: 1_000 };
/** The same for the search for a broker, and for the question whether one is there. */
const ONE_RETRY = { retries: 1, initialRetryTime: 100, maxRetryTime: 500 };
/** How long a publication waits for the first broker to be reached. */
const FIRST_BROKER_MS = 3_000;
const MAX_PREPARE_PAUSE_MS = 5_000;
const PART_BYTES = 512 * 1024;
/** What a message's headers and frame come to. */
const HEADER_BYTES = 512;

export interface KafkaOptions {
  /** `host:port` of some brokers. */
  brokers: string[];
  clientId: string;
  log: Logger;
}

/**
 * Kafka: idempotent producer, acknowledgement of all in-sync replicas, offsets moved only after handling. It need not be
 * there at the start: the transport looks for it until it is stopped.
 */
export function kafkaTransport(options: KafkaOptions): Transport {
  const { log } = options;
  const kafka = new Kafka({
    brokers: options.brokers,
    clientId: options.clientId,
    retry: RETRIES,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => log.warn({ kafka: entry.log }, entry.log.message),
  });
  const admin = kafka.admin({ retry: ONE_RETRY });
  const stopping = new AbortController();
  let isPrepared = false;
  const prepared = untilPrepared(admin, stopping.signal, log).then(() => {
    isPrepared = !stopping.signal.aborted;
  });
  const producer = renewedProducer(kafka);
  const stops: (() => Promise<void>)[] = [];
  return {
    async publish(messages) {
      await within(FIRST_BROKER_MS, prepared, () => undefined);
      if (!isPrepared) throw new NeverReached();
      for (const part of partsOf(messages)) await producer.send(part);
    },
    async subscribe(subscription) {
      if (subscription.topics.length > 0)
        stops.push(keepConsuming({ kafka, retry: RETRIES, prepared, log }, subscription));
    },
    async ready() {
      if (!isPrepared) throw new NeverReached();
      await admin.describeCluster();
    },
    backlog: (subscription, before) => readBacklog(admin, subscription, before),
    async stop() {
      stopping.abort();
      await Promise.all([prepared, ...stops.map((stop) => stop())]);
      await producer.disconnect();
      await admin.disconnect();
    },
  };
}

class NeverReached extends Error {
  override readonly message = 'no broker has been reached yet';
}

/** Connects and creates what topics are missing, however often that takes; resolves also once it was told to stop. */
async function untilPrepared(admin: Admin, signal: AbortSignal, log: Logger): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await admin.connect();
      await createTopics(admin);
      if (failures > 0) log.info('Kafka is available');
      return;
    } catch (error) {
      // Another service creating the same topics at the same moment is a usual cause, and the first failure shows it.
      if (failures === 1) log.warn({ err: error }, 'Kafka is not available; messages wait in the outbox');
      const pauseMs = Math.min(MAX_PREPARE_PAUSE_MS, 200 * 2 ** failures) * (0.5 + Math.random() / 2);
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
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
      retry: FEW_RETRIES,
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

async function createTopics(admin: Admin): Promise<void> {
  const topics = [...allTopics, ...allTopics.map(deadTopic)].map((topic) => ({
    topic: topic.name,
    numPartitions: topic.partitions,
    replicationFactor: -1,
    configEntries: Object.entries(kafkaConfig(topic)).map(([name, value]) => ({ name, value })),
  }));
  await admin.createTopics({ topics, waitForLeaders: true });
}

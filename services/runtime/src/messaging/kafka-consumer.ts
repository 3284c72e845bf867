import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { Logger } from '../log.ts';
import { messageOf } from './kafka-message.ts';
import type { Subscription } from './message.ts';

const CHUNK = 200;
/** A member that was killed holds its partitions for as long. */
const SESSION_MS = 10_000;
const REBALANCE_MS = 40_000;
const HEARTBEAT_MS = 3_000;
const RESTART_MS = 1_000;

/** Name of a service's consumer group in Kafka. */
export const groupIdOf = (group: string): string => `tributary.${group}`;

export interface ConsumerOptions {
  kafka: Kafka;
  retry: { retries: number; initialRetryTime: number; maxRetryTime: number };
  /** Resolves once there is something to consume from. */
  prepared: Promise<unknown>;
  log: Logger;
}

/**
 * Consumes until it is stopped. A consumer that ended, whatever the reason, is replaced: kafkajs itself gives up on
 * errors that it takes for bugs, and the service would go on without ever hearing anything again.
 * @returns a function that stops after the chunk under way
 */
export function keepConsuming(options: ConsumerOptions, subscription: Subscription): () => Promise<void> {
  const stopping = new AbortController();
  let current: Consumer | undefined;
  const running = (async () => {
    await options.prepared;
    while (!stopping.signal.aborted) {
      try {
        await consumeUntilEnd(options, subscription, stopping.signal, (consumer) => {
          current = consumer;
        });
      } catch (error) {
        if (!stopping.signal.aborted)
          options.log.warn({ err: error, group: subscription.group }, 'consumer ended, starting another');
      }
      await pause(RESTART_MS * (0.5 + Math.random()), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  })();
  return async () => {
    stopping.abort();
    await current?.disconnect().catch(() => undefined);
    await running;
  };
}

/** Rejects with the error that ended the consumer; resolves once it was told to stop. */
async function consumeUntilEnd(
  { kafka, retry }: ConsumerOptions,
  subscription: Subscription,
  signal: AbortSignal,
  began: (consumer: Consumer) => void,
): Promise<void> {
  const consumer = kafka.consumer({
    groupId: groupIdOf(subscription.group),
    sessionTimeout: SESSION_MS,
    rebalanceTimeout: REBALANCE_MS,
    heartbeatInterval: HEARTBEAT_MS,
    retry: { ...retry, restartOnFailure: async () => false },
  });
  const ended = Promise.withResolvers<void>();
  consumer.on(consumer.events.CRASH, ({ payload }) => ended.reject(payload.error));
  const stop = () => ended.resolve();
  signal.addEventListener('abort', stop, { once: true });
  began(consumer);
  try {
    await Promise.race([begin(consumer, subscription), ended.promise]);
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) await consumer.disconnect().catch(() => undefined);
  }
}

async function begin(consumer: Consumer, subscription: Subscription): Promise<void> {
  await consumer.connect();
  await consumer.subscribe({ topics: [...subscription.topics], fromBeginning: true });
  await consumer.run({
    autoCommit: true,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 4,
    eachBatch: (payload) => deliverBatch(payload, subscription),
  });
}

async function deliverBatch(payload: EachBatchPayload, subscription: Subscription): Promise<void> {
  const { batch, heartbeat, isRunning, isStale, resolveOffset } = payload;
  for (let start = 0; start < batch.messages.length; start += CHUNK) {
    if (!isRunning() || isStale()) return;
    const chunk = batch.messages.slice(start, start + CHUNK);
    const messages = chunk.map((message) => messageOf(batch.topic, batch.partition, message));
    await withHeartbeat(heartbeat, subscription.deliver(messages));
    resolveOffset(chunk.at(-1)!.offset);
    await payload.commitOffsetsIfNecessary();
  }
}

/** Keeps the group membership alive while a slow chunk is handled. */
async function withHeartbeat(heartbeat: () => Promise<void>, work: Promise<void>): Promise<void> {
  const timer = setInterval(() => void heartbeat().catch(() => undefined), HEARTBEAT_MS);
  try {
    await work;
  } finally {
    clearInterval(timer);
  }
}

import { Kafka, logLevel } from 'kafkajs';
import { eventually } from './eventually.ts';

/** Creates topics that only tests use. */
export async function createTestTopics(
  brokers: string[],
  names: readonly string[],
  partitions: number,
): Promise<void> {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const topics = names.map((topic) => ({ topic, numPartitions: partitions }));
  // A broker may not know for a moment what it has just created.
  await eventually(() => admin.createTopics({ topics, waitForLeaders: true }));
  await admin.disconnect();
}

import type { Admin, SeekEntry } from 'kafkajs';
import { groupIdOf } from './kafka-consumer.ts';
import type { Backlog, Subscription } from './message.ts';

/**
 * How far a group is behind, from the offsets it has committed. On a compacted topic this is an upper bound: records
 * that were compacted away are counted until the group is past them.
 */
export async function readBacklog(
  admin: Admin,
  { group, topics }: Pick<Subscription, 'group' | 'topics'>,
  before: Date,
): Promise<Backlog[]> {
  if (topics.length === 0) return [];
  const committed = await admin.fetchOffsets({ groupId: groupIdOf(group), topics: [...topics] });
  return Promise.all(committed.map(({ topic, partitions }) => behind(admin, topic, partitions, before)));
}

async function behind(
  admin: Admin,
  topic: string,
  committed: readonly SeekEntry[],
  before: Date,
): Promise<Backlog> {
  const [ends, recent] = await Promise.all([
    admin.fetchTopicOffsets(topic),
    admin.fetchTopicOffsetsByTimestamp(topic, before.getTime()),
  ]);
  const places = new Map(committed.map(({ partition, offset }) => [partition, BigInt(offset)]));
  const firstRecent = new Map(recent.map(({ partition, offset }) => [partition, BigInt(offset)]));
  let [waiting, overdue] = [0n, 0n];
  for (const { partition, low, high } of ends) {
    // A group that has committed nothing yet begins with what is there; retention may have overtaken one that slept.
    const place = atLeast(places.get(partition) ?? 0n, BigInt(low));
    const end = BigInt(high);
    waiting += atLeast(end - place, 0n);
    overdue += atLeast((firstRecent.get(partition) ?? end) - place, 0n);
  }
  return { topic, waiting, overdue };
}

const atLeast = (value: bigint, least: bigint): bigint => (value < least ? least : value);

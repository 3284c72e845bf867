import { serviceNames } from '@tributary/embedded/service-names.ts';
import { stateTopics } from '@tributary/proto/events/topics.ts';
import type { KafkaMessage } from 'kafkajs';
import { query } from './databases.ts';
import type { Load } from './load.ts';
import type { ChaosPlatform } from './platform.ts';
import { orderedTopicNames, readTopics } from './topics.ts';

interface Line {
  topic: string;
  key: string;
  /** First appearances of the key's messages, in the order of the topic. */
  ids: string[];
}

export interface Order {
  keys: number;
  messages: number;
  /** Messages that lie on a topic more than once. */
  repeated: number;
  /** What came out of order, one line each. */
  faults: string[];
}

/**
 * Whether what was done to a customer one after the other lies on its topic in that order, and whether every consumer
 * has handled the messages of every key in the order of their topic.
 */
export async function orderOf(platform: ChaosPlatform, { since, changing }: Load): Promise<Order> {
  const topics = await readTopics(platform.servers.broker, orderedTopicNames, since);
  const lines: Line[] = [];
  let messages = 0;
  let different = 0;
  for (const [topic, records] of topics) {
    const ofKey = firstAppearances(records);
    for (const [key, ids] of ofKey) lines.push({ topic, key, ids });
    messages += records.length;
    different += [...ofKey.values()].reduce((sum, ids) => sum + ids.length, 0);
  }
  const faults = changesOutOfOrder(topics.get(stateTopics.customers.name)!, changing.id);
  for (const service of serviceNames)
    faults.push(...(await handledOutOfOrder(platform.databaseUrls[service], lines, since)));
  return { keys: lines.length, messages, repeated: messages - different, faults };
}

const idOf = ({ headers, offset }: KafkaMessage) => String(headers?.ce_id ?? `unreadable ${offset}`);

/** The ids of each key's messages, each where it came first. */
function firstAppearances(records: readonly KafkaMessage[]): Map<string, string[]> {
  const byKey = new Map<string, Set<string>>();
  for (const record of records) {
    const key = String(record.key);
    byKey.set(key, (byKey.get(key) ?? new Set()).add(idOf(record)));
  }
  return new Map([...byKey].map(([key, ids]) => [key, [...ids]]));
}

/** The load numbers the names that it gives. */
function changesOutOfOrder(records: readonly KafkaMessage[], customerId: string): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  let last = 0;
  for (const record of records) {
    if (String(record.key) !== customerId || seen.has(idOf(record))) continue;
    seen.add(idOf(record));
    const number = Number(/\d+$/.exec(JSON.parse(String(record.value)).name ?? '')?.[0] ?? 0);
    if (number < last) faults.push(`customer ${customerId}: name ${number} after ${last}`);
    last = number;
  }
  return faults;
}

async function handledOutOfOrder(databaseUrl: string, lines: readonly Line[], since: Date) {
  const rows = await query(
    databaseUrl,
    `select consumer, json_object_agg(event_id, extract(epoch from consumed_at)) as times
     from consumed_events where consumed_at >= $1 group by consumer`,
    [since],
  );
  return rows.flatMap(({ consumer, times }) =>
    lines.flatMap(({ topic, key, ids }) => {
      const handled = ids.map((id) => times[id]).filter((time) => time !== undefined);
      const isInOrder = handled.every((time, index) => index === 0 || time >= handled[index - 1]);
      return isInOrder ? [] : [`${consumer} handled ${topic} ${key} out of order`];
    }),
  );
}

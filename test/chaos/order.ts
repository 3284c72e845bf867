import { stateTopics } from '@tributary/proto/events/topics.ts';
import { Kafka, logLevel } from 'kafkajs';
import { readAll } from './republish.ts';

/** Records whose states went backwards on their topic, repetitions of a message aside; one line each. */
export async function orderFaults(broker: string): Promise<string[]> {
  const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING });
  const topics = await readAll(
    kafka,
    Object.values(stateTopics).map(({ name }) => name),
  );
  const faults: string[] = [];
  for (const [topic, records] of topics) {
    const seen = new Set<string>();
    const newest = new Map<string, string>();
    for (const { key, value, headers } of records) {
      const id = String(headers?.ce_id ?? '');
      if (id === '' || seen.has(id) || value === null) continue;
      seen.add(id);
      const state = JSON.parse(String(value)) as { modified_at?: string; created_at?: string };
      const at = state.modified_at ?? state.created_at ?? '';
      const before = newest.get(String(key)) ?? '';
      if (at < before) faults.push(`${topic} ${key}: ${at} after ${before}`);
      newest.set(String(key), at);
    }
  }
  return faults;
}

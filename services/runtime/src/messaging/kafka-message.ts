import { hash } from 'node:crypto';
import { fromHeaders, toHeaders } from '@tributary/proto/events/cloud-events.ts';
import type { KafkaMessage } from 'kafkajs';
import type { Message } from './message.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const recordOf = (message: Message) => ({
  key: message.key,
  value: message.value === null ? null : JSON.stringify(message.value),
  headers: toHeaders(message),
});

/** Whatever lies on the topic becomes a message: what anybody else put there must not stop what follows it. */
export function messageOf(topic: string, partition: number, record: KafkaMessage): Message {
  try {
    return readable(topic, record);
  } catch (error) {
    return {
      // The place names it, on every delivery.
      id: uuidFrom(`${topic} ${partition} ${record.offset}`),
      topic,
      key: record.key?.toString() ?? '',
      type: 'unreadable',
      subject: null,
      value: record.value?.toString() ?? null,
      time: new Date(Number(record.timestamp)),
      source: '',
      traceparent: null,
      unreadable: String(error),
    };
  }
}

function readable(topic: string, record: KafkaMessage): Message {
  const headers = Object.fromEntries(
    Object.entries(record.headers ?? {}).map(([name, value]) => [name, String(value ?? '')]),
  );
  const event = fromHeaders(headers);
  if (!UUID.test(event.id)) throw new TypeError(`header ce_id is no UUID: ${event.id}`);
  return {
    ...event,
    topic,
    key: record.key?.toString() ?? '',
    value: record.value === null ? null : JSON.parse(record.value.toString()),
  };
}

const uuidFrom = (text: string): string =>
  hash('sha256', text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

import { newId } from '@tributary/proto/id.ts';
import type { Message } from '../messaging/message.ts';

/** A message that no consumer of ours knows. */
export const messageOn = (topic: string, given: Partial<Message> = {}): Message => ({
  id: newId(),
  topic,
  key: newId(),
  type: 'test.changed',
  subject: null,
  value: {},
  time: new Date(),
  source: '/tributary/test',
  traceparent: null,
  ...given,
});

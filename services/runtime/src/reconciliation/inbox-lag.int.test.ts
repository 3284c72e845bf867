import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import { pino } from 'pino';
import { inProcessTransport } from '../messaging/in-process.ts';
import { kafkaTransport } from '../messaging/kafka.ts';
import type { Transport } from '../messaging/message.ts';
import { eventually } from '../testing/eventually.ts';
import { messageOn } from '../testing/message.ts';
import { describeWithKafka } from '../testing/servers/kafka.ts';
import { readInboxLag } from './inbox-lag.ts';

const topic = stateTopics.customer_seats.name;
const message = () => messageOn(topic, { type: 'customer_seats.changed', value: { a: 1 } });

test('within the process, what is not handled is still in the outbox', async () => {
  expect(await readInboxLag(inProcessTransport(), { group: 'x', topics: [topic] }, new Date())).toEqual({});
});

test('a broker that cannot be asked is no good news', async () => {
  const silent = { ...inProcessTransport(), backlog: () => Promise.reject(new Error('away')) } as Transport;
  const { checks } = await readInboxLag(silent, { group: 'x', topics: [topic] }, new Date());
  expect(checks).toMatchObject([{ ok: false, found: 'unknown' }]);
});

describeWithKafka('over Kafka', (brokers) => {
  test('messages nobody has handled are waiting, and overdue once they are old', async () => {
    const group = `lag-${newId()}`;
    const transport = kafkaTransport({
      brokers: await brokers(),
      clientId: group,
      log: pino({ level: 'silent' }),
    });
    try {
      const [past, future] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
      const lag = (before: Date) => readInboxLag(transport, { group, topics: [topic] }, before);
      const waiting = async () =>
        Number((await lag(past)).figures?.find((figure) => figure.name === 'inbox: messages waiting')?.value);
      // A broker may not know for a moment the topics that this transport has just made.
      await eventually(() => transport.publish([message(), message()]));
      const before = await waiting();
      await transport.publish([message(), message(), message()]);
      expect(await waiting()).toBe(before + 3);
      const { checks: late } = await lag(future);
      expect(late![0]!.ok).toBe(false);
      expect(late![0]!.detail).toContain(topic);
      await transport.subscribe({ group, topics: [topic], deliver: async () => undefined });
      await eventually(async () =>
        expect((await lag(future)).checks).toMatchObject([{ ok: true, found: '0' }]),
      );
    } finally {
      await transport.stop();
    }
  });
});

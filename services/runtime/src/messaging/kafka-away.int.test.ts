import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { newId } from '@tributary/proto/id.ts';
import { pino } from 'pino';
import { eventually } from '../testing/eventually.ts';
import { messageOn } from '../testing/message.ts';
import { describeWithKafka } from '../testing/servers/kafka.ts';
import { createTestTopics } from '../testing/topics.ts';
import { kafkaTransport } from './kafka.ts';
import type { Transport } from './message.ts';

const log = pino({ level: 'silent' });
/** A topic of its own: the services of other tests would take its messages for theirs. */
const topic = 'tributary.test.away';

const message = () => messageOn(topic);

/** A port where nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a transport that has never reached a broker says so, publishes nothing, and stops', async () => {
  const transport = kafkaTransport({ brokers: [`127.0.0.1:${await closedPort()}`], clientId: 'test', log });
  await transport.subscribe({ group: `test-${newId()}`, topics: [topic], deliver: async () => undefined });
  await expect(transport.ready()).rejects.toThrow('no broker has been reached');
  await expect(transport.publish([message()])).rejects.toThrow('no broker has been reached');
  await transport.stop();
});

describeWithKafka('a broker that comes later', (brokers) => {
  let forwarder: Server | undefined;
  const sockets: Socket[] = [];
  let transport: Transport | undefined;
  afterEach(async () => {
    await transport?.stop();
    for (const socket of sockets) socket.destroy();
    forwarder?.close();
  });

  /** Lets the broker be reached at a port. */
  async function openTo(port: number): Promise<void> {
    const [host, target] = (await brokers())[0]!.split(':') as [string, string];
    forwarder = createServer((near) => {
      const far = connect(Number(target), host);
      sockets.push(near, far);
      near.on('error', () => undefined).pipe(far);
      far.on('error', () => undefined).pipe(near);
    });
    await once(forwarder.listen(port, '127.0.0.1'), 'listening');
  }

  test('is found: what is published then arrives', async () => {
    await createTestTopics(await brokers(), [topic], 1);
    const port = await closedPort();
    transport = kafkaTransport({ brokers: [`127.0.0.1:${port}`], clientId: 'test', log });
    const arrived: string[] = [];
    await transport.subscribe({
      group: `test-${newId()}`,
      topics: [topic],
      async deliver(messages) {
        arrived.push(...messages.map(({ id }) => id));
      },
    });
    await expect(transport.ready()).rejects.toThrow();
    await openTo(port);
    await eventually(async () => transport!.ready());
    const sent = message();
    await transport.publish([sent]);
    await eventually(async () => expect(arrived).toContain(sent.id), 30_000);
  }, 60_000);
});

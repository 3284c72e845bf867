import { createServer } from 'node:net';
import { freePorts } from './free-ports.ts';

/** Where Linux begins to take ports for outgoing connections; others begin higher. */
const FIRST_OUTGOING = 32_768;

test('gives different ports that nobody takes for an outgoing connection', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) expect(port).toBeLessThan(FIRST_OUTGOING);
});

test('gives no port again that waits to be used', async () => {
  const given: number[] = [];
  for (let call = 0; call < 100; call += 1) given.push(...(await freePorts(2)));
  expect(new Set(given).size).toBe(given.length);
});

test('gives ports that can be listened on', async () => {
  const [port] = await freePorts(1);
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  await new Promise((resolve) => server.close(resolve));
});

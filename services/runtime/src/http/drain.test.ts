import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../testing/eventually.ts';
import { drainOf } from './drain.ts';
import { portOf } from './server.ts';

const NOTICE_MS = 300;

let server: Server;
let port: number;
let agent: Agent;
let drain: (noticeMs: number) => Promise<void>;
let answer: RequestListener;
beforeEach(async () => {
  answer = (_request, response) => response.end('ok');
  server = createServer((request, response) => answer(request, response));
  drain = drainOf(server);
  agent = new Agent({ keepAlive: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = portOf(server);
});
afterEach(() => {
  agent.destroy();
  server.close();
  server.closeAllConnections();
});

/** A request over connections that are kept. */
async function get() {
  const request = httpRequest({ port, host: '127.0.0.1', agent });
  request.end();
  const [response] = await once(request, 'response');
  return {
    body: await text(response),
    connection: response.headers.connection as string,
    isReused: request.reusedSocket,
  };
}

test('until a server is told to drain, its connections are kept', async () => {
  expect(await get()).toEqual({ body: 'ok', connection: 'keep-alive', isReused: false });
  expect(await get()).toEqual({ body: 'ok', connection: 'keep-alive', isReused: true });
});

test('during the notice requests are answered, over connections old and new, and none is kept', async () => {
  await get();
  const drained = drain(NOTICE_MS);
  expect(await get()).toEqual({ body: 'ok', connection: 'close', isReused: true });
  expect(await get()).toEqual({ body: 'ok', connection: 'close', isReused: false });
  await drained;
  await expect(get()).rejects.toThrow('ECONNREFUSED');
});

test('a request that was under way when the notice began is answered, and its connection is not kept', async () => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  answer = async (_request, response) => {
    arrived.resolve();
    await release.promise;
    response.end('late');
  };
  const late = get();
  await arrived.promise;
  const drained = drain(0);
  await eventually(() => expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow());
  release.resolve();
  expect(await late).toMatchObject({ body: 'late', connection: 'close' });
  await drained;
});

test('an answer that had begun before the notice ends in full', async () => {
  const release = Promise.withResolvers<void>();
  answer = async (_request, response) => {
    response.write('first ');
    await release.promise;
    response.end('last');
  };
  const request = httpRequest({ port, host: '127.0.0.1', agent }).end();
  const [response] = await once(request, 'response');
  const drained = drain(0);
  release.resolve();
  expect(await text(response)).toBe('first last');
  await drained;
});

test('a connection that nobody uses is left open during the notice and closed after it', async () => {
  await get();
  const [[idle]] = Object.values(agent.freeSockets) as unknown as [[Socket]];
  const closed = once(idle, 'close').then(() => 'closed');
  const drained = drain(NOTICE_MS).then(() => 'drained');
  const noticed = pause(NOTICE_MS / 2).then(() => 'noticed');
  expect(await Promise.race([closed, drained, noticed])).toBe('noticed');
  expect(await closed).toBe('closed');
  await drained;
});

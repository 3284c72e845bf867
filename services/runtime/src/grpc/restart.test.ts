import { once } from 'node:events';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { IdentityService } from '@tributary/proto/gen/identity/v1/identity.ts';
import { pino } from 'pino';
import { portOf } from '../http/server.ts';
import { connect } from './client.ts';
import { provide, serveGrpc } from './server.ts';

const SECRET = 'a secret that only tests know, 32+ characters';
const log = pino({ level: 'silent' });

/** What the server does in each method. */
let introspect: () => Promise<object>;
let createSession: () => Promise<object>;
const stops: (() => unknown)[] = [];
beforeEach(() => {
  introspect = createSession = async () => ({});
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serve(port = 0) {
  const implementation = { introspect: () => introspect(), createSession: () => createSession() };
  const services = [provide(IdentityService, implementation as never, 'identity/v1/identity.proto')];
  const server = await serveGrpc({ port, host: '127.0.0.1', secret: SECRET, services, log });
  stops.push(server.stop);
  return server;
}

function client(port: number) {
  const identity = connect(IdentityService, `127.0.0.1:${port}`, SECRET);
  stops.push(identity.close);
  return {
    read: () => identity.introspect({ token: 't' }),
    create: () => identity.createSession({} as never),
  };
}

/** A connection to the server that the test breaks off. */
async function breakable(target: () => number) {
  const sockets = new Set<{ destroy(): void }>();
  const between = createTcpServer((near) => {
    const far = connectTcp(target(), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await once(between.listen(0, '127.0.0.1'), 'listening');
  const breakOff = () => {
    for (const socket of sockets) socket.destroy();
  };
  stops.push(() => {
    breakOff();
    between.close();
  });
  return { port: portOf(between as never), breakOff };
}

test('a server that is away for a moment is waited for', async () => {
  const first = await serve();
  const identity = client(first.port);
  await identity.read();
  await first.stop();
  const [read, created] = [identity.read(), identity.create()];
  await pause(1_500);
  await serve(first.port);
  await expect(Promise.all([read, created])).resolves.toBeDefined();
});

test('while a server is replaced under load, no call fails', async () => {
  introspect = createSession = () => pause(5, {});
  const [former, next] = [await serve(), await serve()];
  let target = former.port;
  const identity = client((await breakable(() => target)).port);
  let isOver = false;
  let calls = 0;
  const load = Array.from({ length: 8 }, async (_, number) => {
    while (!isOver) {
      await (number % 2 === 0 ? identity.read() : identity.create());
      calls += 1;
    }
  });
  await pause(200);
  target = next.port;
  await former.stop();
  const before = calls;
  await pause(200);
  isOver = true;
  await expect(Promise.all(load)).resolves.toBeDefined();
  expect(calls).toBeGreaterThan(before);
});

describe('a connection that breaks before the answer', () => {
  test.each([
    ['read', 2],
    ['create', 1],
  ] as const)('%s is asked %i times', async (method, times) => {
    const server = await serve();
    const between = await breakable(() => server.port);
    let asked = 0;
    introspect = createSession = async () => {
      asked += 1;
      if (asked > 1) return {};
      between.breakOff();
      return new Promise(() => undefined);
    };
    const call = client(between.port)[method]();
    if (method === 'read') await call;
    else await expect(call).rejects.toMatchObject({ type: { status: 503 } });
    expect(asked).toBe(times);
  });
});

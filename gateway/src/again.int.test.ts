import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { drainOf } from '@tributary/runtime/http/drain.ts';
import { portOf } from '@tributary/runtime/http/server.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type GatewayUnderTest, gatewayUnderTest, listening } from './testing/gateway-under-test.ts';

const AWAY_MS = 400;
/** Longer than the gateway keeps a connection that it does not use. */
const NOTICE_MS = 4_000;

/** A port where nobody listens until `listen` is called. */
let port: number;
let service: Server | undefined;
let gateway: GatewayUnderTest;
let authorization: string;
beforeEach(async () => {
  const former = await listening(() => undefined);
  port = portOf(former);
  await new Promise((resolve) => former.close(resolve));
  gateway = await gatewayUnderTest({
    rateLimitFactor: 1_000,
    services: { things: `http://127.0.0.1:${port}` },
    holdMs: 2_000,
  });
  authorization = `Bearer ${gateway.allow(organizationToken('00000000-0000-4000-8000-000000000001'))}`;
});
afterEach(async () => {
  await gateway.stop();
  service?.closeAllConnections();
  service?.close();
  service = undefined;
});

async function listen(listener: RequestListener): Promise<Server> {
  service = createServer(listener);
  await once(service.listen(port, '127.0.0.1'), 'listening');
  return service;
}

const send = (method: string, { body, key }: { body?: string; key?: string } = {}) =>
  fetch(`${gateway.url}/v1/things/${method === 'DELETE' ? '7' : ''}`, {
    method,
    headers: { authorization, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body,
  });

const echo: RequestListener = async (request, response) => {
  response.end(`${request.method} ${await text(request)}`);
};

describe('a service that is away for a moment', () => {
  test.each([
    ['GET', undefined, 'GET '],
    ['POST', '{"a":1}', 'POST {"a":1}'],
    ['DELETE', undefined, 'DELETE '],
  ])('is waited for: %s', async (method, body, answer) => {
    const sent = send(method, { body });
    await pause(AWAY_MS);
    await listen(echo);
    const response = await sent;
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(answer);
  });

  test('and does not come back in time: 503, and when to try again', async () => {
    const startedAt = performance.now();
    const response = await send('POST', { body: '{}' });
    expect(performance.now() - startedAt).toBeGreaterThan(1_000);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toEqual({ error: 'ServiceUnavailable', detail: expect.any(String) });
  });

  test('a body too large to be kept is not waited with', async () => {
    const response = await send('POST', { body: 'a'.repeat(100_000) });
    expect(response.status).toBe(503);
  });
});

describe('a connection that breaks before the answer', () => {
  /** Breaks the first connections; what it was sent on each. */
  async function breaking(times: number, then: RequestListener = echo): Promise<string[]> {
    const sent: string[] = [];
    await listen(async (request, response) => {
      if (sent.length >= times) {
        sent.push('');
        then(request, response);
      } else {
        sent.push(`${request.headers['idempotency-key']} ${await text(request)}`);
        request.socket.destroy();
      }
    });
    return sent;
  }

  test('a read is repeated', async () => {
    await breaking(2);
    expect((await send('GET')).status).toBe(200);
  });

  test('a write with an Idempotency-Key is repeated as it was', async () => {
    const sent = await breaking(1);
    const response = await send('POST', { body: '{"a":1}', key: 'one' });
    expect(await response.text()).toBe('POST {"a":1}');
    expect(sent).toEqual(['one {"a":1}', '']);
  });

  test('a write without one is not', async () => {
    const sent = await breaking(1);
    expect((await send('POST', { body: '{}' })).status).toBe(502);
    expect((await send('DELETE')).status).toBe(200);
    expect(sent).toHaveLength(2);
  });

  test('a repetition waits while the first attempt is still at work', async () => {
    let answers = 0;
    await breaking(1, (request, response) => {
      answers += 1;
      if (answers > 2) return echo(request, response);
      response.writeHead(409, { 'retry-after': '1' }).end('{"error":"IdempotentRequestRunning"}');
    });
    const response = await send('POST', { body: '{}', key: 'two' });
    expect(await response.text()).toBe('POST {}');
    expect(answers).toBe(3);
  });

  test('409 to a first attempt is an answer', async () => {
    await breaking(0, (_request, response) => response.writeHead(409, { 'retry-after': '1' }).end());
    expect((await send('POST', { body: '{}', key: 'three' })).status).toBe(409);
  });

  test('what breaks the service every time is not sent for ever', async () => {
    const sent = await breaking(100);
    expect((await send('GET')).status).toBe(502);
    expect(sent).toHaveLength(4);
  });
});

describe('under load', () => {
  /** Sends requests one after the other until `stop`, which gives the statuses of the answers. */
  function load(methods: readonly string[], key: () => string | undefined) {
    let isOver = false;
    const statuses = new Set<number>();
    const clients = methods.map(async (method) => {
      while (!isOver) {
        const response = await send(method, { body: method === 'POST' ? '{}' : undefined, key: key() });
        await response.arrayBuffer();
        statuses.add(response.status);
      }
    });
    return async () => {
      isOver = true;
      await Promise.all(clients);
      return [...statuses];
    };
  }

  test('a service is restarted on its port: no read fails, and no write with an Idempotency-Key', async () => {
    const drain = drainOf(await listen(echo));
    const stop = load(['GET', 'POST', 'GET', 'POST', 'DELETE', 'POST'], () => crypto.randomUUID());
    await pause(200);
    await drain(200);
    await pause(AWAY_MS);
    await listen(echo);
    await pause(200);
    expect(await stop()).toEqual([200]);
  });

  test('a service is replaced as in a rolling update: no request fails', async () => {
    const instances = [await listening(echo), await listening(echo)] as const;
    const drain = drainOf(instances[0]);
    let target: Server = instances[0];
    const balancer = createTcpServer((near) => {
      const far = connect(portOf(target), '127.0.0.1');
      near.on('error', () => undefined).once('close', () => far.destroy());
      far.on('error', () => undefined).once('close', () => near.destroy());
      near.pipe(far).pipe(near);
    });
    await once(balancer.listen(port, '127.0.0.1'), 'listening');
    const stop = load(['GET', 'POST', 'GET', 'POST', 'DELETE', 'POST'], () => undefined);
    await pause(200);
    [, target] = instances;
    await drain(NOTICE_MS);
    await pause(200);
    expect(await stop()).toEqual([200]);
    await gateway.stop();
    instances[1].close();
    balancer.close();
  });
});

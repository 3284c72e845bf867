import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type GatewayUnderTest, gatewayUnderTest } from './testing/gateway-under-test.ts';

const ORGANIZATION = '00000000-0000-4000-8000-000000000001';
const MEBIBYTE = 1024 * 1024;

let gateway: GatewayUnderTest;
let authorization: string;
beforeEach(async () => {
  gateway = await gatewayUnderTest({ rateLimitFactor: 1_000 });
  authorization = `Bearer ${gateway.allow(organizationToken(ORGANIZATION))}`;
});
afterEach(() => gateway.stop());

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function send(method: string, path: string, body?: Buffer | string, headers: Record<string, string> = {}) {
  return fetch(gateway.url + path, {
    method,
    headers: { authorization, ...headers },
    body: body as string,
  });
}

/** A request under the test's own control, byte for byte. */
function open(method: string, path: string, headers: Record<string, string> = {}): ClientRequest {
  return httpRequest(gateway.url + path, { method, headers: { authorization, ...headers } });
}
const responseTo = async (request: ClientRequest) => (await once(request, 'response'))[0] as IncomingMessage;

describe('a body', () => {
  test.each(['GET', 'DELETE', 'POST'])(
    'large, and the answer to %s too, arrives byte for byte',
    async (method) => {
      const answer = randomBytes(15 * MEBIBYTE);
      const sent = randomBytes(9 * MEBIBYTE);
      let received = '';
      gateway.serve(async (request, response) => {
        received = hashOf(await buffer(request));
        response.end(answer);
      });
      const path = method === 'DELETE' ? '/v1/things/7' : '/v1/things/';
      const response = await send(method, path, method === 'POST' ? sent : undefined);
      expect(hashOf(Buffer.from(await response.arrayBuffer()))).toBe(hashOf(answer));
      expect(received).toBe(hashOf(method === 'POST' ? sent : Buffer.alloc(0)));
    },
  );

  test('declared larger than 10 MiB: 413, and the service hears nothing', async () => {
    const response = await send('POST', '/v1/things/', Buffer.alloc(10 * MEBIBYTE + 1));
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ error: 'RequestBodyTooLarge', detail: expect.any(String) });
    expect(gateway.seen).toHaveLength(0);
  });

  test('of exactly 10 MiB passes', async () => {
    gateway.serve((request, response) => {
      request.resume().on('end', () => response.end('{}'));
    });
    expect((await send('POST', '/v1/things/', Buffer.alloc(10 * MEBIBYTE))).status).toBe(200);
  });

  test('in chunks that come to more than 10 MiB: 413, and the service is told to stop', async () => {
    const aborted = Promise.withResolvers<void>();
    gateway.serve((request) => {
      request.resume();
      request.on('error', () => undefined).on('close', aborted.resolve);
    });
    const request = open('POST', '/v1/things/', { 'transfer-encoding': 'chunked' });
    const answered = responseTo(request);
    for (let chunk = 0; chunk < 11; chunk += 1) request.write(Buffer.alloc(MEBIBYTE));
    request.end();
    const response = await answered;
    expect(response.statusCode).toBe(413);
    expect(JSON.parse((await buffer(response)).toString())).toMatchObject({ error: 'RequestBodyTooLarge' });
    await aborted.promise;
  });

  test('of a file may be larger', async () => {
    gateway.serve(async (request, response) => {
      response.end(String((await buffer(request)).length));
    });
    const response = await send('PUT', '/v1/uploads/7', Buffer.alloc(12 * MEBIBYTE), { authorization: '' });
    expect(await response.text()).toBe(String(12 * MEBIBYTE));
  });

  test('is handed on as it comes, without waiting for its end', async () => {
    gateway.serve((request, response) => {
      request.once('data', () => response.end('early'));
    });
    const request = open('POST', '/v1/things/', { 'transfer-encoding': 'chunked' });
    request.on('error', () => undefined);
    request.write('first');
    const response = await responseTo(request);
    expect((await buffer(response)).toString()).toBe('early');
    request.destroy();
  });

  test('of an answer is handed on as it comes', async () => {
    gateway.serve((_request, response) => {
      response.write('data: one\n\n');
    });
    const response = await responseTo(open('GET', '/v1/things/').end());
    expect(String((await once(response, 'data'))[0])).toBe('data: one\n\n');
    response.destroy();
  });
});

describe('a client that goes away', () => {
  test.each(['GET', 'POST'])('ends the %s at the service', async (method) => {
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    gateway.serve((request, response) => {
      response.on('close', closed.resolve);
      request.resume();
      arrived.resolve();
    });
    const request = open(method, '/v1/things/', method === 'POST' ? { 'content-length': '4' } : {});
    request.on('error', () => undefined);
    request.end(method === 'POST' ? 'body' : undefined);
    await arrived.promise;
    request.destroy();
    await closed.promise;
  });
});

describe('a service', () => {
  const problem = { error: 'ServiceUnavailable', detail: expect.any(String) };

  test('that cannot be reached: 503', async () => {
    const response = await fetch(`${gateway.url}/v1/down/`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toEqual(problem);
  });

  test.each(['GET', 'POST'])('that breaks off before its answer to %s: 502', async (method) => {
    gateway.serve((request) => request.socket.destroy());
    const response = await send(method, '/v1/things/', method === 'POST' ? '{}' : undefined);
    expect(response.status).toBe(502);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toEqual(problem);
  });

  test.each(['GET', 'POST'])('that answers %s with something else than HTTP: 502', async (method) => {
    gateway.serve((request) => request.socket.end('hello\r\n\r\n'));
    const response = await send(method, '/v1/things/', method === 'POST' ? '{}' : undefined);
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual(problem);
  });

  test.each(['GET', 'POST'])(
    'that breaks off within its answer to %s cuts the client off',
    async (method) => {
      gateway.serve((request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => request.socket.destroy());
      });
      const response = await send(method, '/v1/things/', method === 'POST' ? '{}' : undefined);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
    },
  );

  test.each(['GET', 'POST'])('that is silent after %s: 504', async (method) => {
    await gateway.stop();
    gateway = await gatewayUnderTest({ silenceMs: 300 });
    authorization = `Bearer ${gateway.allow(organizationToken(ORGANIZATION))}`;
    const body = method === 'POST' ? '{}' : undefined;
    expect((await send(method, '/v1/things/', body)).status).toBe(200);
    gateway.serve(() => undefined);
    const response = await send(method, '/v1/things/', body);
    expect(response.status).toBe(504);
    expect(await response.json()).toEqual(problem);
  });

  test('that closed a kept connection is read from again', async () => {
    gateway.serve((_request, response) => {
      response.end('{}');
    });
    await send('GET', '/v1/things/');
    let isFirst = true;
    gateway.serve((request, response) => {
      if (isFirst) request.socket.destroy();
      else response.end('{}');
      isFirst = false;
    });
    expect((await send('GET', '/v1/things/')).status).toBe(200);
    expect(gateway.seen).toHaveLength(3);
  });

  test('is not asked twice to change something', async () => {
    gateway.serve((request) => request.socket.destroy());
    expect((await send('POST', '/v1/things/', '{}')).status).toBe(502);
    expect(gateway.seen).toHaveLength(1);
  });
});

describe('headers', () => {
  test.each(['GET', 'POST'])('of one connection stay on it (%s)', async (method) => {
    gateway.serve((_request, response) => {
      response.writeHead(200, {
        connection: 'close',
        'keep-alive': 'timeout=1',
        'set-cookie': ['a=1', 'b=2'],
        'content-security-policy': 'service',
        'x-request-id': 'forged',
        vary: 'Accept',
      });
      response.end('{}');
    });
    const request = open(method, '/v1/things/', {
      connection: 'keep-alive, x-hop',
      'x-hop': '1',
      te: 'trailers',
      'x-end': '2',
    });
    const response = await responseTo(request.end(method === 'POST' ? '{}' : undefined));
    response.resume();
    expect(gateway.seen[0]!.headers).toMatchObject({ 'x-end': '2' });
    expect(gateway.seen[0]!.headers['x-hop']).toBeUndefined();
    expect(gateway.seen[0]!.headers.te).toBeUndefined();
    expect(response.headers['keep-alive']).not.toBe('timeout=1');
    expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(response.headers['content-security-policy']).toBe('service');
    expect(response.headers['x-request-id']).not.toBe('forged');
    expect(response.headers.vary).toBe('Origin, Accept');
  });

  test.each([204, 304])('%i has no body', async (status) => {
    gateway.serve((_request, response) => {
      response.writeHead(status).end();
    });
    expect((await send('GET', '/v1/things/')).status).toBe(status);
  });
});

test('requests under way end well when the gateway stops; new ones find the port closed', async () => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  gateway.serve(async (_request, response) => {
    arrived.resolve();
    await release.promise;
    response.end('{"late":true}');
  });
  const late = send('GET', '/v1/things/');
  await arrived.promise;
  const stopped = gateway.stop();
  await expect(
    (async () => {
      for (;;) await fetch(`${gateway.url}/healthz`);
    })(),
  ).rejects.toThrow();
  release.resolve();
  const response = await late;
  expect(await response.json()).toEqual({ late: true });
  await stopped;
  gateway = await gatewayUnderTest();
});

test('while the gateway waits to stop, it is not ready and asks clients to leave', async () => {
  const apart = await gatewayUnderTest({ drainMs: 500, services: {} });
  expect((await fetch(`${apart.url}/readyz`)).status).toBe(200);
  const stopped = apart.stop();
  const response = await fetch(`${apart.url}/readyz`);
  expect(response.status).toBe(503);
  expect(response.headers.get('connection')).toBe('close');
  await stopped;
});

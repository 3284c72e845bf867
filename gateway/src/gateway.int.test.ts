import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { portOf } from '@tributary/runtime/http/server.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type GatewayUnderTest, gatewayUnderTest, listening } from './testing/gateway-under-test.ts';

const ORGANIZATION = '00000000-0000-4000-8000-000000000001';
const PAGE = 'https://shop.example';

let gateway: GatewayUnderTest;
let bearer: string;
beforeAll(async () => {
  gateway = await gatewayUnderTest({ rateLimitFactor: 1_000, corsOrigins: [PAGE], environment: 'sandbox' });
  bearer = `Bearer ${gateway.allow(organizationToken(ORGANIZATION))}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.seen.length = 0;
});

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, { method, redirect: 'manual', headers });

/** Bytes as they are; fetch would not send them. */
async function sendRaw(bytes: string): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.end(bytes);
  return text(socket);
}

describe('what the gateway refuses itself', () => {
  test.each([
    ['GET', '/v1/nowhere', {}, 404, 'ResourceNotFound'],
    ['GET', '/', {}, 404, 'ResourceNotFound'],
    ['GET', '//v1/things/', {}, 404, 'ResourceNotFound'],
    ['GET', '/v1/things/a/b', {}, 404, 'ResourceNotFound'],
    ['GET', '/api/v1/nowhere', {}, 404, 'ResourceNotFound'],
    ['GET', '/v1/%00', {}, 404, 'ResourceNotFound'],
    ['PUT', '/v1/things/', {}, 405, 'MethodNotAllowed'],
    ['TRACE', '/v1/things/', {}, 405, 'MethodNotAllowed'],
    ['PROPFIND', '/v1/things/', {}, 405, 'MethodNotAllowed'],
  ])('%s %s: %s %i', async (method, path, headers, status, error) => {
    if (method === 'TRACE') {
      expect(await sendRaw(`TRACE ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).toContain(
        `HTTP/1.1 ${status} `,
      );
      return;
    }
    const response = await send(method, path, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error, detail: expect.any(String) });
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(gateway.seen).toHaveLength(0);
  });

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', '400'],
    ['a header without an end', `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(20_000)}\r\n\r\n`, '431'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nhost: x\r\na: \0\r\n\r\n', '400'],
    [
      'two lengths',
      'POST /v1/things/ HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      '400',
    ],
    [
      'length and chunks',
      'POST /v1/things/ HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      '400',
    ],
    [
      'an absolute target',
      'GET http://evil.example/v1/things/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      '404',
    ],
    [
      'no length',
      `POST /v1/things/ HTTP/1.1\r\nhost: x\r\nauthorization: AUTH\r\nconnection: close\r\n\r\n`,
      '411',
    ],
  ])('%s: %s', async (_fact, bytes, status) => {
    const answer = await sendRaw(bytes.replace('AUTH', bearer));
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({
      error: expect.any(String),
      detail: expect.any(String),
    });
    expect(gateway.seen).toHaveLength(0);
  });

  test('405 names the methods there are', async () => {
    expect((await send('PUT', '/v1/things/7')).headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH');
  });
});

describe('paths', () => {
  test.each([
    ['/v1/things', '/v1/things/'],
    ['/v1/things?page=2&sorting=-a', '/v1/things/?page=2&sorting=-a'],
    ['/v1/things/7/', '/v1/things/7'],
    ['/api/v1/things?page=2', '/api/v1/things/?page=2'],
  ])('%s is %s', async (path, location) => {
    const response = await send('GET', path);
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe(location);
  });

  test('the old prefix is served as /v1 and said to be deprecated', async () => {
    const response = await send('GET', '/api/v1/things/?page=2', { authorization: bearer });
    expect(response.status).toBe(200);
    expect(response.headers.get('deprecation')).toBe('@1775001600');
    expect(gateway.seen[0]!.url).toBe('/v1/things/?page=2');
  });

  test('HEAD is answered like GET without a body', async () => {
    const response = await send('HEAD', '/v1/things/', { authorization: bearer });
    expect(response.status).toBe(200);
    expect(gateway.seen[0]!.method).toBe('HEAD');
  });
});

describe('releases', () => {
  test.each([undefined, '2026-04'])('%s is served, and the answer says so', async (version) => {
    const response = await send('GET', '/v1/things/', {
      authorization: bearer,
      ...(version === undefined ? {} : { 'tributary-version': version }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('tributary-version')).toBe('2026-04');
    expect(gateway.seen[0]!.headers['tributary-version']).toBe('2026-04');
  });

  test.each(['2020-01', 'latest', '2026-04-01', '2026-04, 2026-04'])('%s is not found', async (version) => {
    const response = await send('GET', '/v1/things/', {
      authorization: bearer,
      'tributary-version': version,
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ detail: 'Not Found' });
  });
});

describe('every answer', () => {
  test('carries the security headers, and in the sandbox says that it is one', async () => {
    for (const path of ['/v1/things/', '/v1/nowhere', '/v1/open/secret']) {
      const { headers } = await send('GET', path, { authorization: bearer });
      expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('tributary-sandbox')).toBe('true');
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  test('carries the request id, which the service was given too', async () => {
    const mine = await send('GET', '/v1/things/', { authorization: bearer, 'x-request-id': 'my-request-1' });
    expect(mine.headers.get('x-request-id')).toBe('my-request-1');
    expect(gateway.seen[0]!.headers['x-request-id']).toBe('my-request-1');
  });

  test.each(['short', 'x'.repeat(65), 'with space', 'a"b"c"d"e"f'])(
    'has an id of its own for "%s"',
    async (id) => {
      const response = await send('GET', '/v1/open/secret', { 'x-request-id': id });
      expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    },
  );
});

describe('browsers', () => {
  const preflight = (path: string, origin: string, method = 'GET') =>
    send('OPTIONS', path, {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    });

  test.each(['/v1/open/secret', '/v1/customer-portal/things/'])('any page may call %s', async (path) => {
    const asked = await preflight(path, 'https://anywhere.example');
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe('*');
    expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    const response = await send('GET', path, { origin: 'https://anywhere.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  });

  test('only configured pages may call merchant operations', async () => {
    expect((await preflight('/v1/things/', PAGE, 'POST')).headers.get('access-control-allow-origin')).toBe(
      PAGE,
    );
    expect(
      (await preflight('/v1/things/', 'https://anywhere.example')).headers.get('access-control-allow-origin'),
    ).toBeNull();
    const response = await send('GET', '/v1/things/', { origin: PAGE, authorization: bearer });
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(response.headers.get('vary')).toContain('Origin');
  });

  test('a page can read refusals', async () => {
    const response = await send('GET', '/v1/open/secret', { origin: PAGE, authorization: 'Bearer wrong' });
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('OPTIONS without an origin tells the methods; of no path, 404', async () => {
    const response = await send('OPTIONS', '/v1/things/');
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('OPTIONS, GET, HEAD, POST');
    expect((await preflight('/v1/nowhere', PAGE)).status).toBe(404);
  });
});

describe('documents', () => {
  test.each(['/openapi.json', '/2026-04/openapi.json'])('%s is the description', async (path) => {
    const response = await send('GET', path);
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveProperty('openapi', '3.1.0');
  });

  test('there is none of another release', async () => {
    expect((await send('GET', '/2020-01/openapi.json')).status).toBe(404);
  });

  test('the reference page and all it loads come from here', async () => {
    const page = await send('GET', '/docs');
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    const local = loaded.filter((address) => address.startsWith('/'));
    expect(local).toEqual(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js']);
    expect(loaded.filter((address) => !address.startsWith('/'))).toEqual(['data:,']);
    for (const address of local) {
      const response = await send('GET', address);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/css|javascript/);
      await response.body?.cancel();
    }
  });

  test('health and metrics', async () => {
    expect((await send('GET', '/healthz')).status).toBe(200);
    await send('GET', '/v1/things/', { authorization: bearer });
    const metrics = await (await send('GET', '/metrics')).text();
    expect(metrics).toMatch(
      /http_request_duration_seconds_count\{service="gateway",method="GET",route="\/v1\/things\/",status="200"\}/,
    );
  });

  test('not ready while a service is not there', async () => {
    const response = await send('GET', '/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ checks: { things: 'ok', down: 'failed' } });
  });

  test('ready once every service was; then only the one that knows tokens can end it', async () => {
    const down = new Set<string>();
    const services = await Promise.all(
      ['identity', 'other'].map(async (name) => {
        const server = await listening((_request, response) => {
          response.writeHead(down.has(name) ? 503 : 200).end();
        });
        return [name, server] as const;
      }),
    );
    const addresses = services.map(([name, server]) => [name, `http://127.0.0.1:${portOf(server)}`]);
    const apart = await gatewayUnderTest({ services: Object.fromEntries(addresses) });
    const status = async () => (await fetch(`${apart.url}/readyz`)).status;
    expect(await status()).toBe(200);
    down.add('other');
    expect(await status()).toBe(200);
    down.add('identity');
    expect(await status()).toBe(503);
    await apart.stop();
    for (const [, server] of services) server.close();
  });
});

test('one log line per request, with the route and not the path, and no credentials', async () => {
  const apart = await gatewayUnderTest();
  const token = apart.allow(organizationToken(ORGANIZATION));
  await fetch(`${apart.url}/v1/open/a-secret?b=secret`, {
    headers: { 'x-request-id': 'request-7', authorization: `Bearer ${token}` },
  });
  await apart.stop();
  const lines = apart.lines.filter((line) => line.msg === 'request');
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'gateway',
      requestId: 'request-7',
      method: 'GET',
      route: '/v1/open/{secret}',
      status: 200,
      ms: expect.any(Number),
      address: '127.0.0.1',
      caller: `organization:${ORGANIZATION}`,
      owner: 'things',
      msg: 'request',
    },
  ]);
  expect(JSON.stringify(apart.lines)).not.toContain('secret"');
});

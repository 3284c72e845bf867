import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { describeWithRedis } from '@tributary/runtime/testing/servers/redis.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import { createClient } from 'redis';
import { type GatewayUnderTest, gatewayUnderTest } from './testing/gateway-under-test.ts';

const ORGANIZATION = '00000000-0000-4000-8000-000000000001';

const gateways: GatewayUnderTest[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

async function gatewayWith(redisUrl: string): Promise<GatewayUnderTest> {
  const gateway = await gatewayUnderTest({ redisUrl });
  gateways.push(gateway);
  return gateway;
}

const list = (gateway: GatewayUnderTest, token: string) =>
  fetch(`${gateway.url}/v1/things/`, { headers: { authorization: `Bearer ${token}` } });
const confirm = (gateway: GatewayUnderTest, token: string) =>
  fetch(`${gateway.url}/v1/open/x/confirm`, {
    method: 'POST',
    body: '{}',
    headers: { authorization: `Bearer ${token}` },
  });

/** A caller of its own for each test: the server is shared with others. */
function caller() {
  return { principal: organizationToken(crypto.randomUUID()), token: mintToken('trb_oat_') };
}

test('a Redis that is not there fails no request', async () => {
  const gateway = await gatewayWith('redis://127.0.0.1:1');
  const { principal, token } = caller();
  gateway.allow(principal, token);
  for (let request = 0; request < 6; request += 1) expect((await confirm(gateway, token)).status).toBe(200);
  expect((await confirm(gateway, token)).status).toBe(429);
  await gateway.revoke({ token_id: principal.token_id });
  expect((await list(gateway, token)).status).toBe(200);
});

test('a Redis that accepts and says nothing fails no request', async () => {
  const sockets = new Set<Socket>();
  const mute = createServer((socket) => sockets.add(socket));
  const gateway = await gatewayWith(await addressOf(mute));
  const token = gateway.allow(organizationToken(ORGANIZATION));
  expect((await list(gateway, token)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  mute.close();
});

describeWithRedis('gateways with one Redis', (redisUrl) => {
  /** Resolves once the gateway works through Redis, and not on its own memory. */
  async function connected(url: string): Promise<GatewayUnderTest> {
    const gateway = await gatewayWith(url);
    const client = createClient({ url: await redisUrl() });
    await client.connect();
    const { principal, token } = caller();
    gateway.allow(principal, token);
    await eventually(async () => {
      await confirm(gateway, token);
      const key = `tributary:rate:checkout_confirm:60:organization:${principal.organization_id}`;
      expect(await client.exists(key)).toBe(1);
    });
    client.destroy();
    return gateway;
  }

  test('count a caller together', async () => {
    const [one, other] = await Promise.all([connected(await redisUrl()), connected(await redisUrl())]);
    const { principal, token } = caller();
    one.allow(principal, token);
    other.allow(principal, token);
    const statuses: number[] = [];
    for (let request = 0; request < 5; request += 1) {
      statuses.push((await confirm(one, token)).status, (await confirm(other, token)).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(6);
    expect(statuses.slice(6)).toEqual([429, 429, 429, 429]);
  });

  test('share what identity said', async () => {
    const [one, other] = await Promise.all([connected(await redisUrl()), connected(await redisUrl())]);
    const { principal, token } = caller();
    one.allow(principal, token);
    await list(one, token);
    await eventually(async () => {
      expect((await list(other, token)).status).toBe(200);
    });
    expect(other.asked).not.toContain(token);
  });

  test('cannot bring back a token that one of them knows to be revoked', async () => {
    const [one, other] = await Promise.all([connected(await redisUrl()), connected(await redisUrl())]);
    const { principal, token } = caller();
    one.allow(principal, token);
    await list(one, token);
    one.tokens.delete(token);
    await one.revoke({ token_id: principal.token_id });
    await eventually(async () => {
      expect((await list(other, token)).status).toBe(401);
    });
    expect((await list(one, token)).status).toBe(401);
  });

  test('find it when it comes later, and say how it is', async () => {
    const between = await pausable(await redisUrl());
    between.close();
    const gateway = await gatewayWith(between.url);
    const readiness = async () => (await fetch(`${gateway.url}/readyz`)).json();
    expect(await readiness()).toMatchObject({ checks: { redis: 'failed' } });
    const { principal, token } = caller();
    gateway.allow(principal, token);
    expect((await confirm(gateway, token)).status).toBe(200);
    const again = await pausable(await redisUrl(), Number(new URL(between.url).port));
    await eventually(async () => {
      expect(await readiness()).toMatchObject({ checks: { redis: 'ok' } });
    });
    const client = createClient({ url: await redisUrl() });
    await client.connect();
    expect((await confirm(gateway, token)).status).toBe(200);
    const key = `tributary:rate:checkout_confirm:60:organization:${principal.organization_id}`;
    expect(await client.exists(key)).toBe(1);
    client.destroy();
    await gateway.stop();
    gateways.splice(gateways.indexOf(gateway), 1);
    again.close();
  });

  test('go on by themselves when it falls silent', async () => {
    const between = await pausable(await redisUrl());
    const gateway = await connected(between.url);
    const { principal, token } = caller();
    gateway.allow(principal, token);
    between.pause();
    const startedAt = performance.now();
    expect((await list(gateway, token)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    between.close();
  });
});

/** A way to a server that can be blocked without closing it. */
async function pausable(url: string, at = 0) {
  const { hostname, port } = new URL(url);
  const pairs: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    pairs.push(near, far);
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  return {
    url: await addressOf(server, at),
    pause() {
      for (const socket of pairs) socket.unpipe().pause();
    },
    close() {
      for (const socket of pairs) socket.destroy();
      server.close();
    },
  };
}

/** Starts a server. @param port 0 takes any */
async function addressOf(server: Server, port = 0): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

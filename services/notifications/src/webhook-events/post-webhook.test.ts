import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Server } from 'node:net';
import { type Address, createOutbound, type Outbound } from '../outbound/outbound.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';
import { faultOfEndpointUrl } from '../webhook-endpoints/endpoint-url.ts';
import { Interrupted, postWebhook } from './post-webhook.ts';

const never = new AbortController().signal;
const sandbox = createOutbound(true);
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const post = (url: string, outbound: Outbound = sandbox, stopping = never, timeoutMs?: number) =>
  postWebhook({ url, headers: { 'webhook-id': 'x' }, body: '{"a":"ü"}' }, outbound, stopping, timeoutMs);

/** A server that answers every connection with these bytes. */
async function startRawServer(
  answer: (write: (text: string) => void, end: () => void) => void,
): Promise<Server> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      answer(
        (text) => socket.write(text),
        () => socket.end(),
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

describe('a post', () => {
  test('sends the body and its headers and returns the answer', async () => {
    receiver.answerWith(201, 'made');
    expect(await post(`${receiver.url}?a=1`)).toEqual({ http_code: 201, response: 'made' });
    expect(receiver.received).toMatchObject([
      {
        path: '/hook?a=1',
        body: '{"a":"ü"}',
        headers: { 'webhook-id': 'x', 'content-type': 'application/json', 'content-length': '10' },
      },
    ]);
  });

  test('keeps the first 2048 characters of an answer', async () => {
    receiver.answerWith(500, 'ü'.repeat(100_000));
    expect(await post(receiver.url)).toEqual({ http_code: 500, response: 'ü'.repeat(2_048) });
  });

  test('keeps an answer that no database stores as it is in a form that it does', async () => {
    receiver.answerWith(400, `a\0b${'x'.repeat(2_044)}🎉`);
    const { response } = await post(receiver.url);
    expect(response!.startsWith('a\uFFFDb')).toBe(true);
    expect(response).toHaveLength(2_048);
    expect(response!.isWellFormed()).toBe(true);
  });

  test('ends after its time without an answer', async () => {
    const release = receiver.hold();
    expect(await post(receiver.url, sandbox, never, 50)).toEqual({
      http_code: null,
      response: 'No answer within 0.05 s',
    });
    release();
  });

  test('takes the status of an answer whose body never ends', async () => {
    const server = await startRawServer((write) =>
      write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart'),
    );
    expect(await post(urlOf(server), sandbox, never, 200)).toEqual({ http_code: 200, response: 'part' });
    server.close();
  });

  test.each([
    ['nothing', ''],
    ['something else than HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
  ])('has no code when a server answers %s', async (_what, text) => {
    const server = await startRawServer((write, end) => {
      write(text);
      end();
    });
    expect(await post(urlOf(server))).toEqual({ http_code: null, response: expect.any(String) });
    server.close();
  });

  test('is cut short when told to stop', async () => {
    const release = receiver.hold();
    const stopping = new AbortController();
    const posted = post(receiver.url, sandbox, stopping.signal);
    await receiver.arrived(1);
    stopping.abort();
    await expect(posted).rejects.toBeInstanceOf(Interrupted);
    release();
  });
});

describe('outside of a sandbox', () => {
  const resolving = (...addresses: string[]): Outbound => ({
    allowLoopback: false,
    resolve: async () =>
      addresses.map((address): Address => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
  const refused = { http_code: null, response: expect.stringContaining('is not on the public internet') };

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
  ])('nothing is sent to %s', async (url) => {
    const outbound = { ...createOutbound(false) };
    expect(await post(url, outbound)).toEqual(refused);
  });

  test.each([
    ['10.0.0.1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['fd00::1', 'unique local'],
    ['0.0.0.0', 'unspecified'],
  ])('not even a sandbox sends to %s: %s', async (address) => {
    const named = { ...resolving(address), allowLoopback: true };
    expect(await post('http://inside.test/', named)).toEqual(refused);
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(await post(`http://${literal}/`, createOutbound(true))).toEqual(refused);
  });

  test('a name that turned to a private address after it was checked is refused', async () => {
    expect(faultOfEndpointUrl('https://rebinding.test/hook', false)).toBeUndefined();
    const url = receiver.url.replace('127.0.0.1', 'rebinding.test');
    expect(await post(url, resolving('127.0.0.1'))).toEqual(refused);
    expect(receiver.received).toEqual([]);
  });

  test('one private address among public ones refuses the name', async () => {
    const url = receiver.url.replace('127.0.0.1', 'mixed.test');
    expect(await post(url, resolving('8.8.8.8', '10.0.0.1'))).toEqual(refused);
    expect(await post(url, resolving('8.8.8.8', '::ffff:127.0.0.1'))).toEqual(refused);
  });

  test('the name is resolved once: what was judged is what is connected to', async () => {
    let lookups = 0;
    const outbound: Outbound = {
      allowLoopback: true,
      async resolve() {
        lookups += 1;
        return [{ address: lookups === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }];
      },
    };
    expect(await post(receiver.url.replace('127.0.0.1', 'pinned.test'), outbound)).toMatchObject({
      http_code: 204,
    });
    expect(lookups).toBe(1);
    expect(receiver.received[0]!.headers.host).toMatch(/^pinned\.test:/);
  });

  test('a name without an address has no code', async () => {
    expect(await post('http://nowhere.test/', resolving())).toEqual({
      http_code: null,
      response: 'nowhere.test has no address',
    });
  });
});

test('a proxy named in the environment is not used', async () => {
  process.env.HTTP_PROXY = 'http://127.0.0.1:1';
  process.env.http_proxy = 'http://127.0.0.1:1';
  try {
    expect(await post(receiver.url)).toMatchObject({ http_code: 204 });
  } finally {
    delete process.env.HTTP_PROXY;
    delete process.env.http_proxy;
  }
});

import { createLog, currentRequestId, type LogLevel, withRequestId } from './log.ts';
import { mintToken } from './token.ts';

function capture(level: LogLevel = 'info') {
  const lines: string[] = [];
  const log = createLog({ service: 'shop', level, destination: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

test('a line is JSON with level, time, service and message', () => {
  const { log, last } = capture();
  log.info({ order: 7 }, 'paid');
  expect(last()).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    service: 'shop',
    order: 7,
    msg: 'paid',
  });
});

test('lines below the level are left out', () => {
  const { log, lines } = capture('warn');
  log.info('hidden');
  log.warn('shown');
  expect(lines).toHaveLength(1);
});

test('an error keeps its stack and its cause', () => {
  const { log, last } = capture();
  log.error({ err: new Error('broken', { cause: new Error('pipe') }) }, 'failed');
  expect(last().err).toMatchObject({
    type: 'Error',
    message: expect.stringContaining('broken'),
    stack: expect.stringContaining('pipe'),
  });
});

test('lines written while a request is handled carry its id, and no other request has it', async () => {
  const { log, lines } = capture();
  const handle = async () => {
    await Promise.resolve();
    log.info('step');
    return currentRequestId();
  };
  const ids = ['one', 'two', 'three'];
  expect(await Promise.all(ids.map((id) => withRequestId(id, handle)))).toEqual(ids);
  log.info('between requests');
  expect(lines.map((line) => JSON.parse(line).requestId)).toEqual([...ids, undefined]);
  expect(currentRequestId()).toBeUndefined();
});

describe('credentials do not reach the log', () => {
  const token = mintToken('trb_oat_');
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl';

  test.each([
    [
      'a header',
      { req: { headers: { authorization: 'Bearer abc.def', cookie: 'session=hunter2' } } },
      ['abc.def', 'hunter2'],
    ],
    ['a list of headers', { 'set-cookie': ['a=hunter2; Path=/', 'b=hunter3'] }, ['hunter2', 'hunter3']],
    [
      'a field at any depth',
      { a: [{ b: { client_secret: 'hunter2', refresh_token: 'hunter3' } }] },
      ['hunter2', 'hunter3'],
    ],
    ['a password with quotes in it', { password: 'hun"ter\\"2' }, ['hun', 'ter']],
    ['a token in the message', `no such token: ${token}`, [token.slice(8)]],
    ['a token in a path', { path: `/v1/checkouts/client/${token}?x=1` }, [token.slice(8)]],
    ['a header in the message', 'sent Authorization: Basic dXNlcjpwYXNz to it', ['dXNlcjpwYXNz']],
    ['a signed token', { detail: `bad ${jwt}` }, [jwt, 'c2lnbmF0dXJl']],
    ['an address with a password', { url: 'postgres://shop:hunter2@db:5432/shop' }, ['hunter2']],
    ['an error', { err: new Error(`refused ${token}`) }, [token.slice(8)]],
  ])('%s', (_, entry, hidden) => {
    const { log, lines, last } = capture();
    log.info(entry);
    for (const text of hidden) expect(lines[0]).not.toContain(text);
    expect(lines[0]).toContain('[redacted]');
    expect(last()).toHaveProperty('service', 'shop');
  });

  test('what is no credential stays', () => {
    const { log, last } = capture();
    const entry = { token_id: 'f3b1', idempotency_key: 'k'.repeat(43), url: 'http://host:80/a@b', count: 3 };
    log.info(entry, 'the secret is out, basically');
    expect(last()).toMatchObject({ ...entry, msg: 'the secret is out, basically' });
  });

  test.each(['eyJ-', '"token":"', 'a_', 'bearer ', '://a:', '\\"'])(
    'a long line of %j is read in linear time',
    (piece) => {
      const { log } = capture();
      const startedAt = performance.now();
      log.info(piece.repeat(200_000 / piece.length));
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    },
  );
});

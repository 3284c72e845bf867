import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLog } from './log.ts';
import { closers, reasonNotToStart, starting } from './shutdown.ts';

const log = createLog({ service: 'test', level: 'silent' });

describe('closers', () => {
  test('run in reverse, one after the other, and once only', async () => {
    const order: string[] = [];
    const closing = closers(log);
    closing.add('first', () => order.push('first'));
    closing.add('second', async () => {
      await Promise.resolve();
      order.push('second');
    });
    expect(closing.isStopping()).toBe(false);
    await Promise.all([closing.stop(), closing.stop()]);
    expect(closing.isStopping()).toBe(true);
    expect(order).toEqual(['second', 'first']);
  });

  test('that fail do not keep the others from running', async () => {
    const order: string[] = [];
    const closing = closers(log);
    closing.add('first', () => order.push('first'));
    closing.add('second', () => {
      throw new Error('stuck');
    });
    closing.add('third', () => Promise.reject(new Error('stuck too')));
    await closing.stop();
    expect(order).toEqual(['first']);
  });

  test('that hang are named when the time is up', async () => {
    const closing = closers(log, 5);
    closing.add('broker', () => new Promise(() => undefined));
    await expect(closing.stop()).rejects.toThrow('still stopping broker after 5 ms');
  });

  test('added after the stop run at once', async () => {
    const closing = closers(log);
    await closing.stop();
    const closed = Promise.withResolvers<string>();
    closing.add('late', () => closed.resolve('closed'));
    await expect(closed.promise).resolves.toBe('closed');
  });
});

describe('starting', () => {
  test('gives what was started, with its stop', async () => {
    const order: string[] = [];
    const running = await starting(log, async (closing) => {
      closing.add('server', () => order.push('closed'));
      return { port: 80 };
    });
    expect(running.port).toBe(80);
    await running.stop();
    expect(order).toEqual(['closed']);
  });

  test('that fails half-way stops what was started', async () => {
    const order: string[] = [];
    const failing = starting(log, async (closing) => {
      closing.add('database', () => order.push('closed'));
      throw new Error('port taken');
    });
    await expect(failing).rejects.toThrow('port taken');
    expect(order).toEqual(['closed']);
  });
});

describe('a main program', () => {
  const shutdown = new URL('./shutdown.ts', import.meta.url).href;
  const config = new URL('./config.ts', import.meta.url).href;

  /** Runs `start` as the body of a main program; says "up" when it may be sent signals. */
  function main(start: string, timeoutMs = 25_000) {
    const program = `
      import { runMain } from '${shutdown}';
      import { readConfig, serviceShape } from '${config}';
      const say = (text) => process.stdout.write(text + '\\n');
      const forever = () => setInterval(() => undefined, 1000);
      await runMain('shop', async (closing) => { ${start} }, ${timeoutMs});`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const waiting: [text: string, resolve: () => void][] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
        for (const [text, resolve] of waiting) if (output.includes(text)) resolve();
      });
    }
    return {
      says: (text: string) =>
        new Promise<void>((resolve) => (output.includes(text) ? resolve() : waiting.push([text, resolve]))),
      signal: (name: NodeJS.Signals) => child.kill(name),
      ended: once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, output })),
    };
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('stops on %s and ends with 0', async (signal) => {
    const running = main(
      `const timer = forever(); closing.add('timer', () => { clearInterval(timer); say('closed'); }); say('up');`,
    );
    await running.says('up');
    running.signal(signal);
    const { code, output } = await running.ended;
    expect(code).toBe(0);
    expect(output).toContain('closed');
  });

  test('ends with 1 when a part does not stop in time, and names it', async () => {
    const running = main(
      `forever(); closing.add('broker', () => new Promise(() => undefined)); say('up');`,
      50,
    );
    await running.says('up');
    running.signal('SIGTERM');
    const { code, output } = await running.ended;
    expect(code).toBe(1);
    expect(output).toContain('still stopping broker');
  });

  test('ends at once on a second signal', async () => {
    const running = main(
      `forever(); closing.add('broker', () => { say('closing'); return new Promise(() => undefined); }); say('up');`,
    );
    await running.says('up');
    running.signal('SIGTERM');
    await running.says('closing');
    running.signal('SIGTERM');
    expect((await running.ended).code).toBe(1);
  });

  test('a signal during the start stops what was started', async () => {
    const running = main(
      `closing.add('database', () => say('closed')); say('up'); forever(); await new Promise(() => undefined);`,
    );
    await running.says('up');
    running.signal('SIGINT');
    const { code, output } = await running.ended;
    expect(code).toBe(0);
    expect(output).toContain('closed');
  });

  test('without its configuration says what is missing in one line and ends with 1', async () => {
    const { code, output } = await main(`readConfig(serviceShape, { ENVIRONMENT: 'sandbox' });`).ended;
    expect(code).toBe(1);
    expect(output.trimEnd()).not.toContain('\n');
    expect(output).toMatch(/^shop: configuration: .*INTERNAL_SECRET is missing.*KAFKA_BROKERS is missing/);
  });

  test('on a port in use says so in one line and ends with 1', async () => {
    const { code, output } = await main(`
      const { createServer } = await import('node:net');
      const listen = (port) => new Promise((resolve, reject) => {
        const server = createServer().once('error', reject).listen(port, '127.0.0.1', () => resolve(server));
      });
      const first = await listen(0);
      closing.add('first', () => first.close());
      await listen(first.address().port);`).ended;
    expect(code).toBe(1);
    expect(output).toMatch(/^shop: port \d+ is in use\n$/);
  });

  test('that fails for a reason nobody foresaw keeps the stack', async () => {
    const { code, output } = await main(`throw new TypeError('undefined is not a plan');`).ended;
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      level: 'fatal',
      msg: 'could not start',
      err: { stack: expect.stringContaining('    at ') },
    });
  });

  test.each([
    ['Promise.reject(new Error("lost"));', 'unhandled rejection'],
    ['setImmediate(() => { throw new Error("lost"); });', 'uncaught exception'],
  ])('%s is logged and ends it with 1', async (bug, message) => {
    const { code, output } = await main(`forever(); ${bug}`).ended;
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      level: 'fatal',
      service: 'shop',
      msg: message,
      err: { message: 'lost' },
    });
  });
});

test.each([
  [{ code: 'ENOSPC' }, 'no space is left on the disk'],
  [{ code: 'EACCES', port: 80 }, 'no permission to listen on port 80'],
  [{ code: 'EACCES', path: '/data' }, 'no permission for /data'],
  [{ code: 'ECONNREFUSED', message: '' }, 'a server it needs cannot be reached (ECONNREFUSED)'],
  [new Error('a bug'), undefined],
])('%j is explained as %j', (error, reason) => {
  expect(reasonNotToStart(error)).toBe(reason);
});

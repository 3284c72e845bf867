import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import express from 'express';
import { listen, portOf } from './http/server.ts';
import { currentTraceparent, inSpan, startTelemetry } from './telemetry.ts';

describe('without an endpoint', () => {
  test('work is just done, and there is no trace', async () => {
    const telemetry = await startTelemetry('shop', undefined);
    await expect(inSpan('work', async () => currentTraceparent())).resolves.toBeNull();
    await expect(inSpan('work', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await telemetry.stop();
  });

  test('nothing of OpenTelemetry is loaded', async () => {
    const { output } = await run(
      undefined,
      `
      import { createRequire } from 'node:module';
      const loaded = Object.keys(createRequire('${import.meta.url}').cache ?? {});
      console.log(JSON.stringify(loaded.filter((file) => file.includes('opentelemetry'))));`,
    );
    expect(JSON.parse(output)).toEqual([]);
  });
});

interface Span {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number };
}

/** Runs a program with telemetry on and gives what it printed and the spans it sent. */
async function run(
  service: string | undefined,
  program: string,
  imports = '',
): Promise<{ output: string; spans: Span[] }> {
  const spans: Span[] = [];
  const collector = express();
  collector.post('/v1/traces', express.json({ limit: '1mb' }), (request, response) => {
    for (const resource of request.body.resourceSpans) {
      for (const scope of resource.scopeSpans) spans.push(...scope.spans);
    }
    response.json({});
  });
  const server = await listen(collector, 0, '127.0.0.1');
  const endpoint = service === undefined ? 'undefined' : `'http://127.0.0.1:${portOf(server)}'`;
  const child = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `${imports}
     import { createServer, request } from 'node:http';
     import { currentTraceparent, inSpan, startTelemetry } from '${new URL('./telemetry.ts', import.meta.url).href}';
     const telemetry = await startTelemetry('${service}', ${endpoint});
     ${program}
     await telemetry.stop();`,
  ]);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  server.close();
  server.closeAllConnections();
  expect(errors).toBe('');
  return { output, spans };
}

describe('with an endpoint', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${trace}-b7ad6b7169203331-01`;

  test('a message continues the trace it brought, and what it causes names its span', async () => {
    const { output, spans } = await run(
      'shop',
      `
      await inSpan('handle', async () => console.log(currentTraceparent()), { role: 'consumer', traceparent: '${traceparent}' });
      console.log(currentTraceparent());`,
    );
    expect(spans).toEqual([
      expect.objectContaining({ name: 'handle', kind: 5, traceId: trace, parentSpanId: 'b7ad6b7169203331' }),
    ]);
    expect(output).toBe(`00-${trace}-${spans[0]!.spanId}-01\nnull\n`);
  });

  test('work that rejects marks its span, and its error reaches the caller', async () => {
    const { output, spans } = await run(
      'shop',
      `
      await inSpan('charge', () => Promise.reject(new Error('declined'))).catch((error) => console.log(error.message));`,
    );
    expect(output).toBe('declined\n');
    expect(spans).toEqual([
      expect.objectContaining({ name: 'charge', status: expect.objectContaining({ code: 2 }) }),
    ]);
  });

  test.each(['nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `ff-${trace}-b7ad6b7169203331-01`])(
    'a bad traceparent (%s) begins a trace of its own',
    async (bad) => {
      const { spans } = await run(
        'shop',
        `await inSpan('handle', async () => undefined, { traceparent: '${bad}' });`,
      );
      expect(spans).toHaveLength(1);
      expect(spans[0]!.traceId).toMatch(/^(?!0+$)[\da-f]{32}$/);
      expect(spans[0]!.traceId).not.toBe(trace);
    },
  );

  test('a request over HTTP is one trace on both sides; probes leave none', async () => {
    const { output, spans } = await run(
      'shop',
      `
      const server = createServer((incoming, response) => response.end(String(currentTraceparent())));
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      const get = (path) => new Promise((resolve) => {
        request({ port: server.address().port, path, headers: path === '/in' ? { traceparent: '${traceparent}' } : {} }, (response) => {
          response.setEncoding('utf8');
          let body = '';
          response.on('data', (chunk) => { body += chunk; }).on('end', () => resolve(body));
        }).end();
      });
      await get('/readyz');
      console.log(await inSpan('call', () => get('/out')));
      server.close();`,
    );
    const server = spans.find((span) => span.kind === 2);
    const call = spans.find((span) => span.name === 'call');
    expect(server?.traceId).toBe(call?.traceId);
    expect(output).toBe(`00-${call?.traceId}-${server?.spanId}-01\n`);
    expect(spans.filter((span) => span.kind === 2)).toHaveLength(1);
  });
});

describe('instrumentation', () => {
  test('takes hold of a database driver that was imported before', async () => {
    const { output } = await run(
      'shop',
      `
      const { default: pg } = await import('pg');
      console.log(pg.Client.prototype.query.__wrapped);`,
      `import 'pg';`,
    );
    expect(output).toBe('true\n');
  });
});

test('a collector that is gone costs nothing but the spans', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  const child = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { inSpan, startTelemetry } from '${new URL('./telemetry.ts', import.meta.url).href}';
     const telemetry = await startTelemetry('shop', 'http://127.0.0.1:${port}');
     console.log(await inSpan('work', async () => 'done'));
     await telemetry.stop();`,
  ]);
  expect(await text(child.stdout)).toBe('done\n');
});

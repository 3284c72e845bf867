import { once } from 'node:events';
import { request } from 'node:http';
import express from 'express';
import { listen, portOf } from './http/server.ts';
import {
  countHandling,
  countParked,
  countRequest,
  measureRequests,
  metricsText,
  observeMessaging,
} from './metrics.ts';

const sample = async (pattern: RegExp) =>
  (await metricsText()).split('\n').filter((line) => pattern.test(line));

test('a request is counted by route and status, in seconds', async () => {
  countRequest('shop', { method: 'GET', route: '/v1/orders/{id}', status: 404, seconds: 0.03 });
  const labels = 'service="shop",method="GET",route="/v1/orders/{id}",status="404"';
  expect(await sample(/^http_request_duration_seconds.*shop/)).toEqual(
    expect.arrayContaining([
      `http_request_duration_seconds_bucket{le="0.025",${labels}} 0`,
      `http_request_duration_seconds_bucket{le="0.05",${labels}} 1`,
      `http_request_duration_seconds_sum{${labels}} 0.03`,
      `http_request_duration_seconds_count{${labels}} 1`,
    ]),
  );
});

test('the middleware names the route, not the path; unknown paths share one name; a caller that left is a 499', async () => {
  const application = express();
  const reached = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  application.use(measureRequests('kiosk'));
  application.get('/items/:id', (_request, response) => void response.json({}));
  application.get('/slow', (_request, response) => {
    response.once('close', left.resolve);
    reached.resolve();
  });
  const server = await listen(application, 0, '127.0.0.1');
  const origin = `http://127.0.0.1:${portOf(server)}`;
  for (const path of ['/items/1', '/items/2', '/nothing', '/nowhere'])
    await (await fetch(origin + path)).text();
  const leaving = request(`${origin}/slow`).on('error', () => undefined);
  leaving.end();
  await reached.promise;
  leaving.destroy();
  await left.promise;
  server.close();
  await once(server, 'close');
  const counts = await sample(/^http_request_duration_seconds_count.*kiosk/);
  expect(
    counts.map((line) => line.replace(/.*route="([^"]+)",status="(\d+)".* (\d+)$/, '$1 $2 $3')).toSorted(),
  ).toEqual(['/items/{id} 200 2', '/slow 499 1', 'unmatched 404 2']);
});

test('handling of messages: duration by outcome, lag of the last one handled, parked ones', async () => {
  countHandling('grant-benefits', { outcome: 'handled', seconds: 0.2, lagSeconds: 3 });
  countHandling('grant-benefits', { outcome: 'failed', seconds: 0.1, lagSeconds: 99 });
  countParked('grant-benefits');
  expect(await sample(/^inbox_lag_seconds/)).toEqual(['inbox_lag_seconds{consumer="grant-benefits"} 3']);
  expect(await sample(/^inbox_parked_total/)).toEqual(['inbox_parked_total{consumer="grant-benefits"} 1']);
  expect(await sample(/^inbox_handling_duration_seconds_count/)).toHaveLength(2);
});

describe('the backlog in a database', () => {
  test('is read when metrics are, and not after it is no longer observed', async () => {
    const backlog = { outbox: 12, age: 1.5, parked: 2 };
    const stop = observeMessaging('stall', { query: async () => [backlog] });
    expect(await sample(/^(outbox|inbox_parked_messages).*stall/)).toEqual([
      'outbox_messages{service="stall"} 12',
      'outbox_oldest_message_age_seconds{service="stall"} 1.5',
      'inbox_parked_messages{service="stall"} 2',
    ]);
    stop();
    expect(await sample(/stall/)).toEqual([]);
  });

  test('that does not answer is not a number, and hides nothing else', async () => {
    const stop = observeMessaging('ruin', { query: () => Promise.reject(new Error('gone')) });
    expect(await sample(/^outbox_messages.*ruin/)).toEqual(['outbox_messages{service="ruin"} Nan']);
    expect(await sample(/^process_cpu_seconds_total/)).toHaveLength(1);
    stop();
  });
});

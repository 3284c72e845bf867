import type { RequestHandler } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { within } from './deadline.ts';

/**
 * The instruments of the process, however many services it holds; every sample names its service. Names follow the
 * Prometheus conventions: base units, `_total` on counters.
 */
export const registry = new Registry();

const registers = [registry];
const FAST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const requestDuration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the request to the end of its answer',
  labelNames: ['service', 'method', 'route', 'status'],
  buckets: FAST_SECONDS,
  registers,
});
const outboxMessages = new Gauge({
  name: 'outbox_messages',
  help: 'Messages that wait for the relay, counted up to 100000',
  labelNames: ['service'],
  registers,
});
const outboxAge = new Gauge({
  name: 'outbox_oldest_message_age_seconds',
  help: 'Age of the oldest message that waits for the relay',
  labelNames: ['service'],
  registers,
});
const inboxParked = new Gauge({
  name: 'inbox_parked_messages',
  help: 'Messages set aside after their last attempt, counted up to 100000',
  labelNames: ['service'],
  registers,
});
const inboxParkedTotal = new Counter({
  name: 'inbox_parked_total',
  help: 'Messages set aside since the start',
  labelNames: ['consumer'],
  registers,
});
const inboxLag = new Gauge({
  name: 'inbox_lag_seconds',
  help: 'Age of the message handled last, from its writing to the end of its handling',
  labelNames: ['consumer'],
  registers,
});
const handlingDuration = new Histogram({
  name: 'inbox_handling_duration_seconds',
  help: 'Time one attempt of a consumer took; outcome is handled or failed',
  labelNames: ['consumer', 'outcome'],
  buckets: FAST_SECONDS,
  registers,
});

/** A request that was answered. @param route the route's path with its parameters unfilled */
export function countRequest(
  service: string,
  request: { method: string; route: string; status: number; seconds: number },
): void {
  const { method, route, status, seconds } = request;
  requestDuration.observe({ service, method, route, status }, seconds);
}

/** What a request that no route takes is counted under: paths of the caller's choosing would have no end. */
const UNMATCHED = 'unmatched';
/** A caller that went away before its answer: nginx's convention, HTTP has no code for it. */
const CLIENT_CLOSED_REQUEST = 499;

/** Counts every request by the express route that took it, timed from here to the end of its answer. */
export function measureRequests(service: string): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const path: unknown = request.route?.path;
      countRequest(service, {
        method: request.method,
        route: typeof path === 'string' ? path.replaceAll(/:(\w+)/g, '{$1}') : UNMATCHED,
        status: response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST,
        seconds: (performance.now() - startedAt) / 1000,
      });
    });
    next();
  };
}

/** One attempt of a consumer. @param lagSeconds age of the message when it was done */
export function countHandling(
  consumer: string,
  attempt: { outcome: 'handled' | 'failed'; seconds: number; lagSeconds: number },
): void {
  handlingDuration.observe({ consumer, outcome: attempt.outcome }, attempt.seconds);
  if (attempt.outcome === 'handled') inboxLag.set({ consumer }, attempt.lagSeconds);
}

/** A message that was set aside. */
export const countParked = (consumer: string): void => inboxParkedTotal.inc({ consumer });

/** Something SQL can be sent to. */
export interface Queryable {
  query(sql: string): Promise<unknown>;
}

const BACKLOG = `
  select
    (select count(*)::integer from (select 1 from outbox limit 100000) waiting) as outbox,
    coalesce((select extract(epoch from now() - created_at)::float8 from outbox order by position limit 1), 0) as age,
    (select count(*)::integer from (select 1 from parked_messages limit 100000) aside) as parked`;
const BACKLOG_TIMEOUT_MS = 2_000;

const databases = new Map<string, Queryable>();

/** Has the service's outbox and parked messages counted whenever metrics are read. @returns a function that ends it */
export function observeMessaging(service: string, db: Queryable): () => void {
  databases.set(service, db);
  return () => {
    databases.delete(service);
    for (const gauge of [outboxMessages, outboxAge, inboxParked]) gauge.remove({ service });
  };
}

let isProcessMeasured = false;

/** The exposition text: services, and memory, processor and event loop of the process. Always within a few seconds. */
export async function metricsText(): Promise<string> {
  if (!isProcessMeasured) collectDefaultMetrics({ register: registry });
  isProcessMeasured = true;
  await Promise.all([...databases].map(([service, db]) => readBacklog(service, db)));
  return registry.metrics();
}

/** A figure nobody can tell now is NaN; the last known one, or zero, would look like good news. */
async function readBacklog(service: string, db: Queryable): Promise<void> {
  const unknown = [{ outbox: Number.NaN, age: Number.NaN, parked: Number.NaN }];
  const rows = db.query(BACKLOG).catch(() => unknown) as Promise<typeof unknown>;
  const [backlog] = await within(BACKLOG_TIMEOUT_MS, rows, () => unknown);
  if (!databases.has(service)) return;
  outboxMessages.set({ service }, backlog!.outbox);
  outboxAge.set({ service }, backlog!.age);
  inboxParked.set({ service }, backlog!.parked);
}

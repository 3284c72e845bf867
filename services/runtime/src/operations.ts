import express, { type Router } from 'express';
import { within } from './deadline.ts';
import type { Logger } from './log.ts';
import { metricsText, registry } from './metrics.ts';

/** What the process cannot work without, by name: each resolves when it is there and rejects when it is not. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

export interface OperationsOptions {
  /** Told why a check failed; the answer only says which. */
  log?: Logger;
  /** Time each check has; 2 s unless told otherwise. */
  timeoutMs?: number;
  /** True once the process has begun to stop: it is then not ready, so that no more requests are sent to it. */
  isStopping?: () => boolean;
}

type Outcome = 'ok' | 'failed' | 'timed out';

const DEFAULT_TIMEOUT_MS = 2_000;

/**
 * `/healthz`: the process answers. `/readyz`: it can work, by every check; else 503 with the outcome of each.
 * `/metrics`: Prometheus exposition.
 */
export function operations(checks: Checks, options: OperationsOptions = {}): Router {
  const { isStopping = () => false } = options;
  const runs = Object.entries(checks).map(
    ([name, check]) => [name, oneAtATime(() => outcomeOf(name, check, options))] as const,
  );
  const router = express.Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    const outcomes = await Promise.all(runs.map(async ([name, run]) => [name, await run()] as const));
    const areAllOk = outcomes.every(([, outcome]) => outcome === 'ok');
    const status = isStopping() ? 'stopping' : areAllOk ? 'ready' : 'unavailable';
    response.status(status === 'ready' ? 200 : 503).json({ status, checks: Object.fromEntries(outcomes) });
  });
  router.get('/metrics', async (_request, response) => {
    response.type(registry.contentType).send(await metricsText());
  });
  return router;
}

async function outcomeOf(
  name: string,
  check: () => Promise<unknown>,
  { log, timeoutMs = DEFAULT_TIMEOUT_MS }: OperationsOptions,
): Promise<Outcome> {
  try {
    return await within(
      timeoutMs,
      check().then(() => 'ok' as const),
      () => {
        log?.warn({ check: name, timeoutMs }, 'readiness check timed out');
        return 'timed out' as const;
      },
    );
  } catch (error) {
    log?.warn({ check: name, err: error }, 'readiness check failed');
    return 'failed';
  }
}

/** Callers that come while a run is under way share its outcome: probes never pile up on a sick server. */
function oneAtATime<T>(run: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= run().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

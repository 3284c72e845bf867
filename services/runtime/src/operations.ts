import express, { type Router } from 'express';
import { within } from './deadline.ts';
import type { Logger } from './log.ts';
import { metricsText, registry } from './metrics.ts';

/** Servers by name: each check resolves when its server is there and rejects when it is not. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

export interface Dependencies {
  /** Without one of these the process is not ready. */
  needs: Checks;
  /** Without one of these it works on and makes up for it later: messages wait in the outbox, for example. */
  misses?: Checks;
}

export interface OperationsOptions {
  /** Told why a check failed; the answer only says which. */
  log?: Logger;
  /** Time each check has; 2 s unless told otherwise. */
  timeoutMs?: number;
  /** True once the process has begun to stop: it is then not ready, so that no more requests are sent to it. */
  isStopping?: () => boolean;
}

type Outcome = 'ok' | 'failed' | 'timed out';
type Status = 'ready' | 'degraded' | 'unavailable' | 'stopping';

const DEFAULT_TIMEOUT_MS = 2_000;

/**
 * `/healthz`: the process answers. `/readyz`: it can work, else 503; with the outcome of each check, and `degraded`
 * where it works without something it misses. `/metrics`: Prometheus exposition.
 */
export function operations({ needs, misses = {} }: Dependencies, options: OperationsOptions = {}): Router {
  const { isStopping = () => false } = options;
  const runs = Object.entries({ ...needs, ...misses }).map(
    ([name, check]) => [name, oneAtATime(() => outcomeOf(name, check, options))] as const,
  );
  const statusAfter = (failed: readonly string[]): Status => {
    if (isStopping()) return 'stopping';
    if (failed.length === 0) return 'ready';
    return failed.some((name) => name in needs) ? 'unavailable' : 'degraded';
  };
  const router = express.Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    const outcomes = await Promise.all(runs.map(async ([name, run]) => [name, await run()] as const));
    const failed = outcomes.filter(([, outcome]) => outcome !== 'ok').map(([name]) => name);
    const status = statusAfter(failed);
    const isReady = status === 'ready' || status === 'degraded';
    response.status(isReady ? 200 : 503).json({ status, checks: Object.fromEntries(outcomes) });
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

import type { Checks } from '@tributary/runtime/operations.ts';

/** Without this service no request can be told from another. */
const KNOWS_TOKENS = 'identity';

/**
 * The gateway is ready once every service has been ready, and from then on while tokens can be checked. A service
 * that fails later takes its own routes with it, not those of all others.
 */
export function readinessOf(services: Readonly<Record<string, string>>): Checks {
  const checks = Object.entries(services).map(([name, url]) => {
    const check = () => probe(url);
    return [name, name === KNOWS_TOKENS ? check : untilFirst(check)] as const;
  });
  return Object.fromEntries(checks);
}

function untilFirst(check: () => Promise<void>): () => Promise<void> {
  let wasReady = false;
  return async () => {
    if (wasReady) return;
    await check();
    wasReady = true;
  };
}

const PROBE_TIMEOUT_MS = 1_500;

async function probe(url: string): Promise<void> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url}/readyz answered ${response.status}`);
}

import type { Report } from '@tributary/runtime/reconciliation/report.ts';
import type { Addresses } from './addresses.ts';

/** A service's report, or why there is none. */
export type Answer = { service: string } & ({ report: Report } | { trouble: string });

export interface Question {
  /** Instant before which everything must have arrived, the same for all. */
  before: Date;
  /** Time each service's database may take. */
  seconds: number;
  /** How far back to look; everything when absent. */
  days?: number;
}

/** Beyond the database's time: asking the broker, and the way there and back. */
const MARGIN_MS = 30_000;

/** Asks every service at once. */
export const askAll = (addresses: Addresses, question: Question): Promise<Answer[]> =>
  Promise.all(Object.entries(addresses).map(([service, url]) => ask(service, url, question)));

async function ask(service: string, url: string, { before, seconds, days }: Question): Promise<Answer> {
  const target = new URL(`${url}/internal/reconciliation`);
  target.searchParams.set('before', before.toISOString());
  target.searchParams.set('seconds', String(seconds));
  if (days !== undefined) target.searchParams.set('days', String(days));
  try {
    const response = await fetch(target, { signal: AbortSignal.timeout(seconds * 1000 + MARGIN_MS) });
    const body = (await response.json()) as Report & { detail?: string };
    if (response.ok && Array.isArray(body.checks)) return { service, report: body };
    return { service, trouble: `answers ${response.status} ${body.detail ?? ''}`.trim() };
  } catch (error) {
    return { service, trouble: `cannot be asked at ${url}: ${reasonOf(error as Error)}` };
  }
}

const reasonOf = (error: Error): string => {
  const cause = error.cause as { code?: string } | undefined;
  return cause?.code ?? error.message;
};

import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './faults.ts';
import type { Load } from './load.ts';
import type { ChaosPlatform } from './platform.ts';
import { isClean, reconcile } from './reconcile.ts';
import type { Outcome } from './report.ts';

export interface Crowd {
  buyers: number;
  ingesters: number;
  pauseMs: number;
}

export interface RunOptions {
  crowd: Crowd;
  /** Time under load before and after the fault. */
  aroundMs: number;
  /** Time for everything under way to come out right. */
  settleMs: number;
}

const RECONCILE_EVERY_MS = 1_000;

/** Lets the faults happen under load, one after the other; ends the load, and reconciles until all is well or time is up. */
export async function run(
  platform: ChaosPlatform,
  load: Load,
  faults: readonly Fault[],
  name: string,
  { crowd, aroundMs, settleMs }: RunOptions,
): Promise<Outcome> {
  const end = load.begin(crowd);
  const notes: string[] = [];
  try {
    await pause(aroundMs);
    for (const fault of faults) {
      const note = await fault.happen(platform, load);
      if (note && faults.length === 1) notes.push(note);
    }
    await pause(aroundMs);
  } finally {
    await end();
  }
  return { fault: name, ...(await settled(platform, load, settleMs)), note: notes.join(', ') };
}

async function settled(platform: ChaosPlatform, load: Load, withinMs: number) {
  const startedAt = Date.now();
  for (;;) {
    const reconciliation = await reconcile(platform, load).catch((error: unknown) => String(error));
    const settledMs = Date.now() - startedAt;
    if (typeof reconciliation !== 'string' && isClean(reconciliation)) return { reconciliation, settledMs };
    if (settledMs > withinMs) {
      if (typeof reconciliation === 'string') throw new Error(reconciliation);
      return { reconciliation, settledMs };
    }
    await pause(RECONCILE_EVERY_MS);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, Findings } from './faults/fault.ts';
import { beginLoad, type Crowd, type Load } from './load.ts';
import type { Merchant } from './merchant.ts';
import { type Order, orderOf } from './order.ts';
import type { ChaosPlatform } from './platform.ts';
import type { Random } from './random.ts';
import { isClean, type Reconciliation, reconcile } from './reconcile.ts';
import type { Outcome } from './report.ts';

export interface Run {
  platform: ChaosPlatform;
  merchant: Merchant;
  random: Random;
  crowd: Crowd;
  /** Time under load before and after the fault. */
  aroundMs: number;
  /** How long a client sends a request again that is not answered. */
  patienceMs: number;
  /** Time for everything under way to come out right. */
  settleMs: number;
}

const RECONCILE_EVERY_MS = 500;

/** Lets a fault happen under load, ends the load, and reconciles until all is well or time is up. */
export async function run(
  name: string,
  fault: Fault,
  options: Run,
): Promise<{ outcome: Outcome; load: Load }> {
  const { platform, merchant, crowd, patienceMs, settleMs } = options;
  const load = await beginLoad(merchant, crowd, patienceMs);
  const crashesBefore = crashesOf(platform);
  const findings = await underLoad(fault, load, options);
  const lastedMs = await load.end();
  const { reconciliation, settledMs } = await settled(platform, load, settleMs);
  const order = await orderOf(platform, load);
  const crashes = crashesOf(platform) - crashesBefore;
  const outcome: Outcome = {
    fault: name,
    reconciliation,
    kills: findings.kills ?? 0,
    load: (load.attempts.sent * 1000) / lastedMs,
    sent: load.attempts.sent,
    failed: load.attempts.failed,
    settledMs,
    note: [findings.note, summaryOf(order)].filter(Boolean).join(', '),
    wrong: [
      ...(findings.wrong ?? []),
      ...load.record.errors,
      ...order.faults,
      ...(crashes === 0 ? [] : [`processes ended by themselves ${crashes} times`]),
    ],
  };
  return { outcome, load };
}

export const isPassed = ({ reconciliation, wrong }: Outcome): boolean =>
  wrong.length === 0 && isClean(reconciliation);

async function underLoad(fault: Fault, load: Load, { platform, random, aroundMs }: Run): Promise<Findings> {
  try {
    await pause(aroundMs);
    const findings = await fault({ platform, load, random });
    await pause(aroundMs);
    return findings;
  } catch (error) {
    return { wrong: [String(error)] };
  }
}

const summaryOf = ({ messages, repeated, keys }: Order) =>
  `${messages} messages of ${keys} keys in order${repeated === 0 ? '' : `, ${repeated} of them repeated`}`;

const crashesOf = ({ processes }: ChaosPlatform) =>
  Object.values(processes).reduce((sum, { crashes }) => sum + crashes, 0);

async function settled(
  platform: ChaosPlatform,
  load: Load,
  withinMs: number,
): Promise<{ reconciliation: Reconciliation; settledMs: number }> {
  const startedAt = Date.now();
  for (;;) {
    const reconciliation = await reconcile(platform, load).catch(unreadable);
    const settledMs = Date.now() - startedAt;
    if (isClean(reconciliation) || settledMs > withinMs) return { reconciliation, settledMs };
    await pause(RECONCILE_EVERY_MS);
  }
}

/** The platform may not answer yet. */
const unreadable = (error: unknown): Reconciliation => ({
  counts: {},
  faults: [`nothing can be read: ${error}`],
  parked: [],
});

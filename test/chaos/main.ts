import { parseArgs } from 'node:util';
import type { Load } from './load.ts';
import { createMerchant } from './merchant.ts';
import { faultsAt } from './plan.ts';
import { type ChaosPlatform, startChaosPlatform } from './platform.ts';
import { randomFrom } from './random.ts';
import { isClean, type Reconciliation, reconcile } from './reconcile.ts';
import { heading, outcomeLines, reconciliationLines } from './report.ts';
import { isPassed, run } from './run.ts';

/**
 * `npm run test:chaos [-- [fault…] [--seed n] [--kills n] [--outage seconds]]`: every fault under load, or those that
 * are named; one line for each. Ends with 1 when anything is lost, doubled or otherwise wrong.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kills: { type: 'string', default: '20' },
    outage: { type: 'string', default: '60' },
  },
});
const seed = Number(values.seed);
const kills = Number(values.kills);
const outageMs = Number(values.outage) * 1_000;
const faults = faultsAt({ kills, aimedKills: Math.ceil(kills / 4), outageMs });
const unknown = positionals.filter((name) => !Object.hasOwn(faults, name));
if (unknown.length > 0 || [seed, kills, outageMs].some(Number.isNaN)) {
  console.error(
    `There is no ${unknown.join(', ') || 'such number'}; faults: ${Object.keys(faults).join(', ')}`,
  );
  process.exit(1);
}
const wanted = positionals.length === 0 ? Object.keys(faults) : positionals;

const crowd = { buyers: 4, ingesters: 2, pauseMs: 200 };
/** Above the time after which a request whose process died is answered again under its key. */
const PATIENCE_MS = 90_000;
/** A minute's backlog of everything is worked off within it, on a busy machine, too. */
const SETTLE_MS = 300_000;
const options = { crowd, aroundMs: 1_000, patienceMs: PATIENCE_MS, settleMs: SETTLE_MS };

const startedAt = Date.now();
console.log(`seed ${seed}, ${kills} kills of each process, outages of ${outageMs / 1_000} s`);
const platform = await startChaosPlatform();
let areAllPassed = true;
try {
  const merchant = await createMerchant(platform);
  const loads: Load[] = [];
  console.log(heading);
  for (const name of wanted) {
    // A fault that is named alone happens as it does among all others.
    const random = randomFrom(seed, name);
    const { outcome, load } = await run(name, faults[name]!, { platform, merchant, random, ...options });
    loads.push(load);
    areAllPassed &&= isPassed(outcome);
    for (const line of outcomeLines(outcome)) console.log(line);
  }
  const all = await reconcileAll(platform, loads);
  areAllPassed &&= isClean(all);
  for (const line of reconciliationLines('all of it, once more', all)) console.log(line);
  await merchant.stop();
  console.log(
    `${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes, ${areAllPassed ? 'passed' : 'FAILED'}`,
  );
} finally {
  await platform.stop();
}
process.exitCode = areAllPassed ? 0 : 1;

/** What had come out right must have stayed so, whatever happened afterwards. */
async function reconcileAll(chaos: ChaosPlatform, loads: readonly Load[]): Promise<Reconciliation> {
  const all: Reconciliation = { counts: {}, faults: [], parked: [] };
  for (const load of loads) {
    const { counts, faults, parked } = await reconcile(chaos, load);
    for (const [what, count] of Object.entries(counts)) {
      const sum = all.counts[what] ?? { acknowledged: 0, found: 0, lost: 0, doubled: 0 };
      for (const column of ['acknowledged', 'found', 'lost', 'doubled'] as const)
        sum[column] += count[column];
      all.counts[what] = sum;
    }
    all.faults.push(...faults);
    all.parked = parked;
  }
  return all;
}

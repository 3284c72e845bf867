import { serviceNames } from '@tributary/embedded/service-names.ts';
import { processNames } from './environment.ts';
import {
  deliveredThrice,
  doubled,
  type Fault,
  frozen,
  kafkaAway,
  killed,
  poisoned,
  postgresRestarted,
  redisAway,
  rolled,
} from './faults.ts';
import { createLoad } from './load.ts';
import { orderFaults } from './order.ts';
import { startChaosPlatform } from './platform.ts';
import { randomFrom } from './random.ts';
import { isClean } from './reconcile.ts';
import { outcomeLines } from './report.ts';
import { run } from './run.ts';

/**
 * `npm run test:chaos [-- <word>…]`: every fault under load, one line for each; only those whose name holds one of the
 * words when any are given. `CHAOS_SEED`, `CHAOS_KILLS` (of each process) and `CHAOS_OUTAGE_SECONDS` change the run.
 */
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const kills = Number(process.env.CHAOS_KILLS ?? 20);
const outageMs = Number(process.env.CHAOS_OUTAGE_SECONDS ?? 60) * 1_000;
const words = process.argv.slice(2);

/** Longest time between a process being ready and its next end. */
const MOST_CALM_MS = 3_000;
/** Above the 60 s after which a request whose process died may be tried again under its key. */
const PATIENCE_MS = 90_000;

const random = randomFrom(seed);
const each = (fault: Fault) => ({ name: fault.name, faults: [fault] });
const runs: { name: string; faults: Fault[] }[] = [
  each(rolled(processNames)),
  ...processNames.map((name) => ({
    name: `${name} killed ${kills} times`,
    faults: Array.from({ length: kills }, () => killed(name, random.integer(0, MOST_CALM_MS))),
  })),
  each(kafkaAway(outageMs, 'stop')),
  each(kafkaAway(outageMs / 6, 'kill')),
  each(postgresRestarted('stop')),
  each(postgresRestarted('kill')),
  each(redisAway(outageMs)),
  ...serviceNames.map((name) => each(frozen(name, outageMs / 2))),
  each(deliveredThrice()),
  each(doubled(serviceNames, 10_000)),
  each(poisoned()),
];
const wanted = runs.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

const startedAt = Date.now();
console.log(`seed ${seed}, ${kills} kills of each process, outages of ${outageMs / 1_000} s`);
const platform = await startChaosPlatform();
let isAllWell = true;
try {
  const load = await createLoad(
    platform.baseUrl,
    platform.first.organization_access_token,
    () => PATIENCE_MS,
  );
  const options = { crowd: { buyers: 4, ingesters: 2, pauseMs: 50 }, aroundMs: 2_000, settleMs: 120_000 };
  for (const { name, faults } of wanted) {
    const outcome = await run(platform, load, faults, name, options);
    isAllWell &&= isClean(outcome.reconciliation);
    for (const line of outcomeLines(outcome)) console.log(line);
    load.record.errors.length = 0;
  }
  const order = await orderFaults(platform.servers.broker);
  isAllWell &&= order.length === 0;
  console.log(`${order.length} records out of order`);
  for (const line of order.slice(0, 10)) console.log(`    ${line}`);
  const crashes = Object.values(platform.processes).filter((each) => each.crashes > 0);
  for (const { name, crashes: times } of crashes) console.log(`${name} ended by itself ${times} times`);
  const minutes = (Date.now() - startedAt) / 60_000;
  const { purchases, uncertainPurchases, events } = load.record;
  console.log(
    `${purchases.length} purchases and ${events.length} events acknowledged, ${uncertainPurchases.length} purchases unanswered, ` +
      `${load.attempts.failed} of ${load.attempts.sent} requests failed and were sent again, in ${minutes.toFixed(1)} min`,
  );
  await load.stop();
} finally {
  await platform.stop();
}
process.exitCode = isAllWell ? 0 : 1;

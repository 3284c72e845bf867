import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signPrincipal } from '@tributary/runtime/http/internal-token.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import { apply, type Round } from './connections.ts';
import { PRINCIPAL, SECRET } from './gateway-worker.ts';

/**
 * What the gateway costs: one authenticated, scope-checked GET through the gateway, through a bare
 * http-proxy-middleware, and straight at the service, in turns within one run. Only the ratios mean something on
 * another machine. `npm run load:gateway -- [rounds] [seconds] [connections]`
 */

const [rounds = 20, seconds = 0.8, connections = 64] = process.argv.slice(2).map(Number);
const GOAL = 1.3;
const WARM_UP_SECONDS = 3;
const PATH = '/v1/orders/3f0c2a52-5b7a-4f43-9a54-0f6a1b2c3d4e';

interface Contender {
  name: string;
  port: number;
  headers: Record<string, string>;
  process: ChildProcess;
  rounds: (Round & { cpuMicros: number })[];
}

const folder = mkdtempSync(join(tmpdir(), 'tributary-load-'));

async function worker(role: string, servicePort = 0): Promise<{ process: ChildProcess; port: number }> {
  const lines = openSync(join(folder, `${role}.log`), 'w');
  const child = fork(join(import.meta.dirname, 'gateway-worker.ts'), [role, String(servicePort)], {
    stdio: ['ignore', lines, 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { process: child, port };
}

async function cpuMicros(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return usage.user + usage.system;
}

async function run(contender: Contender, roundSeconds: number): Promise<void> {
  const before = await cpuMicros(contender.process);
  const { port, headers } = contender;
  const round = await apply({ port, path: PATH, headers, connections: connections!, seconds: roundSeconds });
  contender.rounds.push({ ...round, cpuMicros: (await cpuMicros(contender.process)) - before });
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

function summary({ name, rounds: all }: Contender) {
  return {
    name,
    perSecond: median(all.map((round) => round.requests / round.seconds)),
    p50: median(all.map((round) => percentile(round.latencies, 0.5))),
    p99: median(all.map((round) => percentile(round.latencies, 0.99))),
    cpu: median(all.map((round) => round.cpuMicros / round.requests)),
    failures: all.reduce((sum, round) => sum + round.failures, 0),
  };
}

const service = await worker('service');
const [gateway, bare] = await Promise.all([worker('gateway', service.port), worker('bare', service.port)]);
const internal = { 'x-tributary-principal': await signPrincipal(PRINCIPAL, 'commerce', SECRET, new Date()) };
const bearer = { authorization: `Bearer ${mintToken('trb_oat_')}` };
const contenders: Contender[] = [
  { name: 'gateway', ...gateway, headers: bearer, rounds: [] },
  { name: 'bare proxy', ...bare, headers: internal, rounds: [] },
  { name: 'service', ...service, headers: internal, rounds: [] },
];
try {
  for (const contender of contenders) await run(contender, WARM_UP_SECONDS);
  for (const contender of contenders) contender.rounds.length = 0;
  for (let round = 0; round < rounds!; round += 1) {
    // Turned round each time: whoever comes first after a slow phase of the machine is not always the same.
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const contender of order) await run(contender, seconds!);
  }
} finally {
  for (const contender of contenders) contender.process.kill();
  rmSync(folder, { recursive: true });
}

const [ours, theirs, straight] = contenders.map(summary) as [
  ReturnType<typeof summary>,
  ReturnType<typeof summary>,
  ReturnType<typeof summary>,
];
console.log(`${connections} connections, ${rounds} rounds of ${seconds} s each; medians`);
console.table(
  [ours, theirs, straight].map((row) => ({
    '': row.name,
    'requests/s': Math.round(row.perSecond),
    'p50 ms': row.p50.toFixed(1),
    'p99 ms': row.p99.toFixed(1),
    'cpu µs/request': Math.round(row.cpu),
    failures: row.failures,
  })),
);
/** Median of the ratios within each round: what slows the machine for a while slows both. */
const ratio = (of: (round: Contender['rounds'][number]) => number, other: Contender) =>
  median(contenders[0]!.rounds.map((round, index) => of(round) / of(other.rounds[index]!)));
const speed = (round: Round) => round.requests / round.seconds;
const faster = ratio(speed, contenders[1]!);
const cheaper = 1 / ratio((round) => round.cpuMicros / round.requests, contenders[1]!);
console.log(
  `gateway : bare proxy = ${faster.toFixed(2)} (goal ${GOAL}), in processor time ${cheaper.toFixed(2)}`,
);
console.log(`gateway : service    = ${ratio(speed, contenders[2]!).toFixed(2)}`);
// The bare proxy may fail under load; what is ours may not.
const failures = ours.failures + straight.failures;
if (failures > 0) console.error(`${failures} answers were not 200`);
process.exitCode = failures === 0 && faster >= GOAL ? 0 : 1;

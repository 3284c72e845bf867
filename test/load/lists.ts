import { parseArgs } from 'node:util';
import { type ListCaller, measuredLists } from './list-cases.ts';
import { describePlan, pageAndCount, planReader } from './list-plans.ts';
import { ask, type ListSite, logPlans, openSite, pathsOf } from './list-site.ts';
import { percentile } from './percentile.ts';

/**
 * How long lists take, through the gateway, at two sizes of every table, in turns; then which index each filter and
 * sort of the larger one uses, as PostgreSQL itself tells.
 *
 *   npm run load:lists -- [--rows 10000,1000000] [--only /orders/,/files/] [--requests 20] [--seconds 2]
 *
 * `--keep folder` seeds in a folder, or uses what was seeded there; `--seed-only` does no more than that.
 */
const { values: given } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000,1000000' },
    only: { type: 'string', default: '' },
    requests: { type: 'string', default: '20' },
    /** At most this long on one case at one size. */
    seconds: { type: 'string', default: '1.5' },
    'without-plans': { type: 'boolean', default: false },
    keep: { type: 'string' },
    'seed-only': { type: 'boolean', default: false },
  },
});
const sizes = given.rows.split(',').map(Number);
const only = given.only.split(',').filter(Boolean);
const lists = measuredLists.filter(
  ({ path }) => only.length === 0 || only.some((part) => path.includes(part)),
);

const sites: ListSite[] = [];
// Servers that were started end with this process.
process.once('SIGINT', () => process.exit(130));
try {
  for (const rows of sizes) {
    const startedAt = performance.now();
    const services = new Set(lists.map((list) => list.service));
    sites.push(await openSite(rows, [...services], given.keep));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    process.stderr.write(`${rows} rows a table are there after ${seconds} s\n`);
  }
  if (!given['seed-only']) await measure();
} finally {
  for (const site of sites) await site.stop();
}

async function measure(): Promise<void> {
  const large = sites.at(-1)!;
  const plans = planReader(large.platform.postgresLog);
  heading();
  for (const list of lists) {
    const paths = await Promise.all(sites.map((site) => pathsOf(site, list)));
    const all = sites.map((): number[] => []);
    for (const [place, { name, caller }] of list.cases.entries()) {
      const times = await inTurns(
        caller,
        paths.map((own) => own[place]!),
      );
      for (const [size, own] of times.entries()) all[size]!.push(...own);
      const ways = given['without-plans'] ? '' : await waysOf(large, caller, paths.at(-1)![place]!, plans);
      line(`  ${name}`, times, ways);
    }
    line(list.path, all, '');
  }
}

/** The same case at each size, one request each in turn. */
async function inTurns(caller: ListCaller, paths: readonly string[]): Promise<number[][]> {
  const times = sites.map((): number[] => []);
  const end = performance.now() + Number(given.seconds) * 1000 * sites.length;
  for (let turn = 0; turn <= Number(given.requests) && (turn < 3 || performance.now() < end); turn += 1) {
    for (const [size, site] of sites.entries()) {
      const startedAt = performance.now();
      await ask(site.platform, site.tokens[caller], paths[size]!);
      // The first one warms up.
      if (turn > 0) times[size]!.push(performance.now() - startedAt);
    }
  }
  return times;
}

async function waysOf(
  site: ListSite,
  caller: ListCaller,
  path: string,
  plans: ReturnType<typeof planReader>,
): Promise<string> {
  await logPlans(site, true);
  plans();
  await ask(site.platform, site.tokens[caller], path);
  const { page, count } = pageAndCount(plans());
  await logPlans(site, false);
  const show = (seen: typeof page) => (seen ? describePlan(seen) : '-');
  return `page: ${show(page)}; count: ${show(count)}`;
}

function heading(): void {
  const columns = sizes.map((rows) => `p50 and p99 at ${rows.toLocaleString('en')}`.padStart(26)).join('');
  console.log(`ms${' '.repeat(54)}${columns}   ratio of p50`);
}

function line(name: string, times: readonly number[][], ways: string): void {
  const columns = times.map(
    (own) => percentile(own, 50).toFixed(1).padStart(14) + percentile(own, 99).toFixed(1).padStart(12),
  );
  const ratio = percentile(times.at(-1)!, 50) / percentile(times[0]!, 50);
  console.log(`${name.slice(0, 55).padEnd(56)}${columns.join('')}${ratio.toFixed(1).padStart(8)}   ${ways}`);
}

import { parseArgs } from 'node:util';
import pg from 'pg';
import { casesOf, fillIn, type MeasuredList, measuredLists } from './list-cases.ts';
import { pageAndCount, planReader, planSettings } from './list-plans.ts';
import { type LoadPlatform, startLoadPlatform } from './load-platform.ts';
import { percentile } from './percentile.ts';
import { seedAll } from './seed-all.ts';

/**
 * How long lists take, through the gateway, at two sizes of every table, in turns; then which index each filter and
 * sort of the larger one uses, as PostgreSQL itself tells.
 *
 *   node test/load/lists.ts [--rows 10000,1000000] [--only orders,files] [--requests 20] [--seconds 2]
 */
const { values: given } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000,1000000' },
    only: { type: 'string', default: '' },
    requests: { type: 'string', default: '20' },
    /** At most this long on one case at one size. */
    seconds: { type: 'string', default: '1.5' },
    'without-plans': { type: 'boolean', default: false },
  },
});
const sizes = given.rows.split(',').map(Number);
const only = given.only.split(',').filter(Boolean);
const lists = measuredLists.filter(
  ({ name }) => only.length === 0 || only.some((part) => name.startsWith(part)),
);

interface Site {
  platform: LoadPlatform;
  tokens: Record<MeasuredList['caller'], string>;
  samples: Record<string, string>;
}

const opened: LoadPlatform[] = [];
const sites: Site[] = [];
// Servers that were started end with this process.
process.once('SIGINT', () => process.exit(130));
try {
  for (const rows of sizes) sites.push(await openSite(rows));
  await measure();
} finally {
  for (const platform of opened) await platform.stop();
}

async function openSite(rows: number): Promise<Site> {
  const platform = await startLoadPlatform({
    kafka: false,
    settings: {
      ...planSettings,
      jit: 'off',
      max_wal_size: '8GB',
      full_page_writes: 'off',
      checkpoint_timeout: '1h',
      autovacuum: 'off',
    },
  });
  const startedAt = performance.now();
  opened.push(platform);
  const samples = await seedAll(platform, rows, new Set(lists.map((list) => list.service)));
  process.stderr.write(
    `seeded ${rows} rows a table in ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`,
  );
  const session = await ask(platform, platform.organizationToken, '/v1/customer-sessions/', {
    customer_id: samples.busy_customer,
  });
  return {
    platform,
    samples,
    tokens: {
      organization: platform.organizationToken,
      user: platform.personalToken,
      customer: session.token as string,
    },
  };
}

async function ask(platform: LoadPlatform, token: string, path: string, body?: object) {
  const answer = await fetch(platform.baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** The path of each case at a site, with values that some item has. */
async function pathsOf(site: Site, list: MeasuredList): Promise<string[]> {
  const base = fillIn(list.path, {}, site.samples);
  const first = await ask(site.platform, site.tokens[list.caller], `${base}?limit=1&page=7`);
  const [item] = first.items as unknown[];
  return casesOf(list).map((query) => `${base}?${fillIn(query, item, site.samples)}`);
}

async function measure(): Promise<void> {
  const [, large] = [sites[0]!, sites.at(-1)!];
  const plans = planReader(large.platform.postgresLog);
  heading();
  for (const list of lists) {
    const paths = await Promise.all(sites.map((site) => pathsOf(site, list)));
    const all = sites.map((): number[] => []);
    for (const [place, name] of casesOf(list).entries()) {
      const times = await inTurns(
        list,
        paths.map((own) => own[place]!),
      );
      for (const [size, own] of times.entries()) all[size]!.push(...own);
      const ways = given['without-plans'] ? '' : await waysOf(large, list, paths.at(-1)![place]!, plans);
      line(`  ${decodeURIComponent(name) || '(all)'}`, times, ways);
    }
    line(list.name.toUpperCase(), all, '');
  }
}

/** The same case at each size, one request each in turn. */
async function inTurns(list: MeasuredList, paths: readonly string[]): Promise<number[][]> {
  const times = sites.map((): number[] => []);
  const end = performance.now() + Number(given.seconds) * 1000 * sites.length;
  for (let turn = 0; turn <= Number(given.requests) && (turn < 3 || performance.now() < end); turn += 1) {
    for (const [size, site] of sites.entries()) {
      const startedAt = performance.now();
      await ask(site.platform, site.tokens[list.caller], paths[size]!);
      // The first one warms up.
      if (turn > 0) times[size]!.push(performance.now() - startedAt);
    }
  }
  return times;
}

async function waysOf(site: Site, list: MeasuredList, path: string, plans: ReturnType<typeof planReader>) {
  await logPlans(site, true);
  plans();
  await ask(site.platform, site.tokens[list.caller], path);
  const { page, count } = pageAndCount(plans());
  await logPlans(site, false);
  const show = (seen: typeof page) => (seen ? `${seen.ways.join(' + ') || '-'} ${seen.ms.toFixed(1)}` : '?');
  return `page: ${show(page)}; count: ${show(count)}`;
}

/** Takes effect in a moment on connections that are there. */
async function logPlans({ platform }: Site, isOn: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: platform.postgresUrl });
  await client.connect();
  await client.query(`alter system set auto_explain.log_min_duration = ${isOn ? 0 : -1}`);
  await client.query('select pg_reload_conf()');
  await client.query('select pg_sleep(0.05)');
  await client.end();
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

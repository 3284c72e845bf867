import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { keptSite } from './kept-site.ts';
import { fillIn, type ListCaller, type MeasuredList } from './list-cases.ts';
import { planSettings } from './list-plans.ts';
import { type LoadPlatform, startLoadPlatform } from './load-platform.ts';
import { type Seeded, seedAll } from './seed-all.ts';

/** A platform whose tables hold a number of rows. */
export interface ListSite {
  rows: number;
  platform: LoadPlatform;
  tokens: Record<ListCaller, string>;
  /** Ids of records that many others belong to, by the name that paths and queries have for them. */
  samples: Record<string, string>;
  stop(): Promise<void>;
}

/** Nothing of what is seeded has to survive a crash, and what the server does on its own would disturb the times. */
const settings = {
  ...planSettings,
  jit: 'off',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  shared_buffers: '4GB',
  // Disks do not turn any more; the embedded server and the containers are told so as well.
  random_page_cost: '1.1',
};

/**
 * @param keep folder of a platform that is kept, and used again when it is there
 * @param more settings of PostgreSQL
 */
export async function openSite(
  rows: number,
  services: readonly Seeded[],
  keep?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ListSite> {
  const folder = keep ? join(keep, String(rows)) : mkdtempSync(join(tmpdir(), 'tributary-lists-'));
  const site = keptSite(folder);
  const platform = await startLoadPlatform({ kafka: false, site, settings: { ...settings, ...more } });
  const stop = async () => {
    await platform.stop();
    if (!keep) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const samples = await seedAll(platform, site, rows, services);
    const session = await ask(platform, platform.organizationToken, '/v1/customer-sessions/', {
      customer_id: samples.busy_customer,
    });
    const tokens = {
      organization: platform.organizationToken,
      user: platform.personalToken,
      customer: session.token as string,
    };
    return { rows, platform, samples, tokens, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The answer to a GET, or to a POST where there is a body. */
export async function ask(platform: LoadPlatform, token: string, path: string, body?: object) {
  const answer = await fetch(platform.baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Where the paths of lists have a parameter. */
const pathSamples: Readonly<Record<string, string>> = {
  '/v1/benefits/{id}/grants': '/v1/benefits/{busy_benefit}/grants',
  '/v1/benefits/{id}/files': '/v1/benefits/{benefit_with_file}/files',
  '/v1/customers/{id}/payment-methods': '/v1/customers/{busy_customer}/payment-methods',
  '/v1/customers/external/{external_id}/payment-methods': '/v1/customers/external/ext-0/payment-methods',
};

/** The path of each of a list's cases at a site, with values that some item has. */
export async function pathsOf(site: ListSite, list: MeasuredList): Promise<string[]> {
  const base = fillIn(pathSamples[list.path] ?? list.path, {}, site.samples);
  const item = (await someItem(site, list, base, 7)) ?? (await someItem(site, list, base, 1));
  return list.cases.map(({ query }) => `${base}?${fillIn(query, item, site.samples)}`);
}

async function someItem(site: ListSite, list: MeasuredList, base: string, page: number): Promise<unknown> {
  const answer = await ask(site.platform, site.tokens[list.caller], `${base}?limit=1&page=${page}`);
  return (answer.items as unknown[])[0];
}

/** Takes effect in a moment on connections that are there. */
export async function logPlans({ platform }: ListSite, isOn: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: platform.postgresUrl });
  await client.connect();
  await client.query(`alter system set auto_explain.log_min_duration = ${isOn ? 0 : -1}`);
  await client.query('select pg_reload_conf()');
  await client.query('select pg_sleep(0.05)');
  await client.end();
}

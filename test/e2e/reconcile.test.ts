import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expectStatus } from '../story/api.ts';
import { startTestPlatform, type TestPlatform } from './test-platform.ts';

const MAIN = join(import.meta.dirname, '../../deploy/reconcile/main.ts');

/** The command is a process of its own, which a busy machine takes its time to start. */
const PATIENCE_MS = 120_000;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, PATIENCE_MS);
afterAll(() => platform?.stop());

/** Runs the command on the platform, or on what `environment` says. */
async function reconcile(environment: Record<string, string> = {}, ...args: string[]) {
  const urls = Object.entries(platform.serviceUrls).map(([name, url]) => [`${name.toUpperCase()}_URL`, url]);
  const command = ['--disable-warning=ExperimentalWarning', MAIN, ...args];
  const env = { PATH: process.env.PATH, ...Object.fromEntries(urls), ...environment };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, command, { env });
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

async function inDatabase(service: 'commerce' | 'metering', sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: platform.databaseUrls[service] });
  await client.connect();
  await client.query(sql);
  await client.end();
}

test(
  'a platform that was used adds up',
  async () => {
    const { merchant } = platform;
    const customer = expectStatus(await merchant.post('/v1/customers/', { email: 'ada@example.com' }), 201);
    const events = [{ name: 'api_call', customer_id: customer.id }];
    expectStatus(await merchant.post('/v1/events/ingest', { events }), 200);
    const { code, output } = await reconcile();
    expect(output).toMatch(/metering +events: received are repeats and counted, of users +1 +1 +0 +ok/);
    expect(output).toMatch(/5 services, \d+ checks: everything adds up\.\n$/);
    expect(code).toBe(0);
  },
  PATIENCE_MS,
);

test(
  'what does not add up is named, and the command fails',
  async () => {
    await inDatabase('commerce', 'update customers set invoice_count = invoice_count + 1');
    try {
      const { code, output } = await reconcile();
      expect(output).toMatch(
        /commerce +customers: invoice or receipt numbers with gaps +0 +1 +1 +DIFFERS\n {4}[0-9a-f-]{36}\n/,
      );
      expect(output).toContain('1 do not hold, 0 services say nothing.');
      expect(code).toBe(1);
    } finally {
      await inDatabase('commerce', 'update customers set invoice_count = invoice_count - 1');
    }
  },
  PATIENCE_MS,
);

test(
  'services that disagree about each other’s records are named',
  async () => {
    await inDatabase('metering', 'update customers_replica set value = null');
    const before = new Date(Date.now() + 60_000).toISOString();
    const { code, output } = await reconcile({}, '--before', before);
    expect(output).toMatch(/catalog +customers: as commerce has them +1 +1 +0 +ok/);
    expect(output).toMatch(/metering +customers: as commerce has them +1 +0 +-1 +DIFFERS/);
    expect(code).toBe(1);
  },
  PATIENCE_MS,
);

test.each([
  [
    'a service that cannot be asked is no good news',
    'http://127.0.0.1:1',
    /catalog +cannot be asked at http:\/\/127\.0\.0\.1:1: \w+/,
  ],
  ['an address that is missing among others is named', '', /CATALOG_URL is missing/],
])(
  '%s',
  async (_what, CATALOG_URL, named) => {
    const { code, output } = await reconcile({ CATALOG_URL });
    expect(output).toMatch(named);
    expect(code).toBe(1);
  },
  PATIENCE_MS,
);

test('nobody gets at the reports through the gateway, and the API document does not speak of them', async () => {
  const headers = { authorization: `Bearer ${platform.merchantToken}` };
  for (const path of [
    '/internal/reconciliation',
    '/v1/../internal/reconciliation',
    '//internal/reconciliation',
  ]) {
    expect((await fetch(platform.baseUrl + path, { headers })).status).toBe(404);
  }
  expect(await (await fetch(`${platform.baseUrl}/openapi.json`)).text()).not.toContain('reconciliation');
});

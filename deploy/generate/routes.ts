import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '@tributary/runtime/http/openapi.ts';
import type { Route } from '@tributary/runtime/http/route.ts';

/**
 * Writes what the gateway knows of the services: its route table and the OpenAPI document of all of them.
 * With `--check` nothing is written; exits 1 when a file is not what the routes say.
 */

const ROOT = join(import.meta.dirname, '../..');
const GATEWAY = join(ROOT, 'gateway/src');
const INFO = {
  title: 'Tributary API',
  version: '2026-04',
  description:
    'Sell one-time, recurring, seat-based and usage-based products: customers, checkouts, orders, subscriptions, benefits, usage meters and webhooks.',
};

interface Owned {
  service: string;
  routes: readonly Route<never>[];
}

/** A library in the services' folder. */
const NO_SERVICE = 'runtime';

/** The routes of every service, by the service's name. */
async function ownedRoutes(): Promise<Owned[]> {
  const folder = join(ROOT, 'services');
  const services = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== NO_SERVICE)
    .map(({ name }) => name)
    .sort();
  return Promise.all(
    services.map(async (service) => {
      const { routes } = (await import(join(folder, service, 'src/routes.ts'))) as Pick<Owned, 'routes'>;
      return { service, routes };
    }),
  );
}

function tableOf(owned: readonly Owned[]): string {
  const rows = owned
    .flatMap(({ service, routes }) => routes.map((route) => ({ service, route })))
    .sort((a, b) => compare(`${a.route.path} ${a.route.method}`, `${b.route.path} ${b.route.method}`))
    .map(({ service, route: { method, path, access, rate, upload, changesReach } }) =>
      JSON.stringify({
        method,
        path,
        service,
        access: { schemes: access.schemes, scopes: access.scopes },
        rate,
        upload,
        changesReach,
      }),
    );
  return [
    "// Written by `npm run generate` from the services' route values.",
    "import type { GatewayRoute } from './route-table.ts';",
    '',
    'export const routeTable: readonly GatewayRoute[] = [',
    ...rows.map((row) => `  ${row},`),
    '];',
    '',
  ].join('\n');
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function documentOf(owned: readonly Owned[]): string {
  const document = openApiDocument(
    owned.flatMap(({ routes }) => routes),
    INFO,
  );
  const text = `${JSON.stringify(document, null, 1)}\n`;
  const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
  const dangling = [...new Set(names)].filter((name) => !(name in document.components.schemas));
  if (dangling.length > 0) throw new Error(`no service describes ${dangling.join(', ')}`);
  return text;
}

const owned = await ownedRoutes();
const files = {
  'route-table.gen.ts': tableOf(owned),
  'openapi.gen.json': documentOf(owned),
};
const stale = Object.entries(files).filter(([name, text]) => {
  const file = join(GATEWAY, name);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});
if (process.argv.includes('--check')) {
  for (const [name] of stale)
    console.error(`gateway/src/${name} is not what the routes say: run \`npm run generate\``);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const [name, text] of stale) {
    writeFileSync(join(GATEWAY, name), text);
    console.log(`wrote gateway/src/${name}`);
  }
}
// Services may hold connections or timers once imported; what was asked for is done.
process.exit();

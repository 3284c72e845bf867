import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeTable } from '@tributary/gateway/route-table.gen.ts';
import type { Seeded } from './seed-all.ts';

/** A list operation as the API document describes it. */
export interface DocumentedList {
  path: string;
  service: Seeded;
  /** Names of its filters. */
  filters: string[];
  /** What it can be sorted by, in either direction. */
  sorts: string[];
}

interface Parameter {
  name: string;
  in: string;
  schema: object;
}

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../gateway/src/openapi.gen.json'), 'utf8'),
);

/** Every list of the platform, so that one is measured as soon as it exists. */
export const documentedLists: readonly DocumentedList[] = routeTable.flatMap(({ method, path, service }) => {
  const parameters: Parameter[] = document.paths[path]?.[method.toLowerCase()]?.parameters ?? [];
  const query = parameters.filter((parameter) => parameter.in === 'query');
  if (method !== 'GET' || !query.some(({ name }) => name === 'page')) return [];
  const filters = query
    .map(({ name }) => name)
    .filter((name) => !['page', 'limit', 'sorting'].includes(name));
  return [{ path, service: service as Seeded, filters, sorts: sortsOf(query) }];
});

/** The parameter refers to an enumeration that names each key twice, once with a minus. */
function sortsOf(query: readonly Parameter[]): string[] {
  const sorting = query.find(({ name }) => name === 'sorting');
  const [, name] = /#\/components\/schemas\/(\w+)/.exec(JSON.stringify(sorting ?? '')) ?? [];
  const values: string[] = name ? document.components.schemas[name].enum : [];
  return values.filter((value) => !value.startsWith('-'));
}

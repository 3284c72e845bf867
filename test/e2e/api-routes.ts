import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeTable } from '@tributary/gateway/route-table.gen.ts';
import type { GatewayRoute } from '@tributary/gateway/route-table.ts';

/** A route with what its OpenAPI operation says of it. */
export interface ApiRoute extends GatewayRoute {
  isList: boolean;
  hasBody: boolean;
}

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../gateway/src/openapi.gen.json'), 'utf8'),
);

/** Every route of the platform, so that tests over it cover a route as soon as it exists. */
export const apiRoutes: readonly ApiRoute[] = routeTable.map((route) => {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()];
  const parameters: { name: string }[] = operation?.parameters ?? [];
  return {
    ...route,
    isList: parameters.some(({ name }) => name === 'page'),
    hasBody: operation?.requestBody !== undefined,
  };
});

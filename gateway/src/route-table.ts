import type { Access } from '@tributary/proto/access.ts';
import type { Method, RateClass } from '@tributary/runtime/http/route.ts';

/** What the gateway knows of a route; generated from the services' route values (`npm run generate`). */
export interface GatewayRoute {
  readonly method: Method;
  /** Path with `{name}` parameters. */
  readonly path: string;
  /** Name of the service that owns the route: where the request goes and the audience of its internal token. */
  readonly service: string;
  readonly access: Access;
  readonly rate: RateClass;
  /** The body may be of any size and is a file; the owner bounds it. */
  readonly upload: boolean;
  /** Success changes which organizations the caller reaches. */
  readonly changesReach: boolean;
}

/** The names of the services that own a route. */
export const servicesOf = (routes: readonly GatewayRoute[]): string[] =>
  [...new Set(routes.map((route) => route.service))].sort();

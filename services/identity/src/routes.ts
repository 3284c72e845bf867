import type { Route } from '@tributary/runtime/http/route.ts';
import type { App } from './app.ts';
import { organizationRoutes } from './organizations/routes.ts';

/** Every operation of identity; importing this file needs no database and no environment. */
export const routes: Route<App>[] = [...organizationRoutes];

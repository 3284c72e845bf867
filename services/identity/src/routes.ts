import type { Route } from '@tributary/runtime/http/route.ts';
import type { App } from './app.ts';
import { clientRoutes } from './oauth2/clients/routes.ts';
import { discoveryRoutes } from './oauth2/discovery/routes.ts';
import { tokenRoutes } from './oauth2/tokens/routes.ts';
import { userInfoRoutes } from './oauth2/userinfo/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';

/** Every operation of identity; importing this file needs no database and no environment. */
export const routes: Route<App>[] = [
  ...organizationRoutes,
  ...clientRoutes,
  ...tokenRoutes,
  ...userInfoRoutes,
  ...discoveryRoutes,
];

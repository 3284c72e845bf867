import type { Route } from '@tributary/runtime/http/route.ts';
import { accountRoutes } from './account/routes.ts';
import type { App } from './app.ts';
import { loginRoutes } from './login/routes.ts';
import { authorizeRoutes } from './oauth2/authorize/routes.ts';
import { clientRoutes } from './oauth2/clients/routes.ts';
import { discoveryRoutes } from './oauth2/discovery/routes.ts';
import { tokenRoutes } from './oauth2/tokens/routes.ts';
import { userInfoRoutes } from './oauth2/userinfo/routes.ts';
import { organizationAccessTokenRoutes } from './organization-access-tokens/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { personalAccessTokenRoutes } from './personal-access-tokens/routes.ts';

/** Every operation of identity; importing this file needs no database and no environment. */
export const routes: Route<App>[] = [
  ...organizationRoutes,
  ...authorizeRoutes,
  ...clientRoutes,
  ...tokenRoutes,
  ...userInfoRoutes,
  ...discoveryRoutes,
  ...loginRoutes,
  ...accountRoutes,
  ...organizationAccessTokenRoutes,
  ...personalAccessTokenRoutes,
];

import type { Route } from '@tributary/runtime/http/route.ts';
import type { App } from './app.ts';
import { checkoutClientRoutes } from './checkouts/client-routes.ts';
import { checkoutRoutes } from './checkouts/routes.ts';
import { customerRoutes } from './customers/routes.ts';
import { orderRoutes } from './orders/routes.ts';

export const routes: Route<App>[] = [
  ...customerRoutes,
  ...checkoutRoutes,
  ...checkoutClientRoutes,
  ...orderRoutes,
];

import type { Route } from '@tributary/runtime/http/route.ts';
import type { App } from './app.ts';
import { checkoutClientRoutes } from './checkouts/client-routes.ts';
import { checkoutRoutes } from './checkouts/routes.ts';
import { customerSeatPortalRoutes } from './customer-seats/portal-routes.ts';
import { customerSeatRoutes } from './customer-seats/routes.ts';
import { customerRoutes } from './customers/routes.ts';
import { orderRoutes } from './orders/routes.ts';
import { subscriptionPortalRoutes } from './subscriptions/portal-routes.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';

export const routes: Route<App>[] = [
  ...customerRoutes,
  ...checkoutRoutes,
  ...checkoutClientRoutes,
  ...orderRoutes,
  ...subscriptionRoutes,
  ...subscriptionPortalRoutes,
  ...customerSeatRoutes,
  ...customerSeatPortalRoutes,
];

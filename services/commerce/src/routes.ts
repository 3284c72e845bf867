import type { Route } from '@tributary/runtime/http/route.ts';
import type { App } from './app.ts';
import { checkoutClientRoutes } from './checkouts/client-routes.ts';
import { checkoutRoutes } from './checkouts/routes.ts';
import { customerSeatPortalRoutes } from './customer-seats/portal-routes.ts';
import { customerSeatRoutes } from './customer-seats/routes.ts';
import { customerSessionRoutes } from './customer-sessions/routes.ts';
import { customerPortalRoutes } from './customers/portal-routes.ts';
import { customerRoutes } from './customers/routes.ts';
import { customerStateRoutes } from './customers/state-routes.ts';
import { customerMemberRoutes } from './members/customer-routes.ts';
import { memberPortalRoutes } from './members/portal-routes.ts';
import { memberRoutes } from './members/routes.ts';
import { orderPortalRoutes } from './orders/portal-routes.ts';
import { orderRoutes } from './orders/routes.ts';
import { paymentMethodPortalRoutes } from './payment-methods/portal-routes.ts';
import { customerPaymentMethodRoutes } from './payment-methods/routes.ts';
import { sandboxRoutes } from './payments/sandbox-routes.ts';
import { subscriptionPortalRoutes } from './subscriptions/portal-routes.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';

export const routes: Route<App>[] = [
  ...customerRoutes,
  ...customerStateRoutes,
  ...customerPaymentMethodRoutes,
  ...customerMemberRoutes,
  ...customerPortalRoutes,
  ...paymentMethodPortalRoutes,
  ...memberRoutes,
  ...memberPortalRoutes,
  ...customerSessionRoutes,
  ...checkoutRoutes,
  ...checkoutClientRoutes,
  ...orderRoutes,
  ...orderPortalRoutes,
  ...sandboxRoutes,
  ...subscriptionRoutes,
  ...subscriptionPortalRoutes,
  ...customerSeatRoutes,
  ...customerSeatPortalRoutes,
];

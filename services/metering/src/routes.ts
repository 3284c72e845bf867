import type { Route } from '@tributary/runtime/http/route.ts';
import type { App } from './app.ts';
import { customerMeterPortalRoutes } from './customer-meters/portal-routes.ts';
import { customerMeterRoutes } from './customer-meters/routes.ts';
import { eventTypeRoutes } from './event-types/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { ingestRoutes } from './ingest/routes.ts';
import { quantityRoutes } from './meters/quantity-routes.ts';
import { meterRoutes } from './meters/routes.ts';

export const routes: Route<App>[] = [
  ...ingestRoutes,
  ...eventRoutes,
  ...eventTypeRoutes,
  ...meterRoutes,
  ...quantityRoutes,
  ...customerMeterRoutes,
  ...customerMeterPortalRoutes,
];

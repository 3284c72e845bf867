import type { Route } from '@tributary/runtime/http/route.ts';
import type { App } from './app.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries/routes.ts';
import { webhookEndpointRoutes } from './webhook-endpoints/routes.ts';
import { webhookEventRoutes } from './webhook-events/routes.ts';

export const routes: Route<App>[] = [
  ...webhookEndpointRoutes,
  ...webhookEventRoutes,
  ...webhookDeliveryRoutes,
];

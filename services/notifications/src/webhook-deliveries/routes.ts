import { merchant } from '@tributary/proto/access.ts';
import { listOf, presentPage } from '@tributary/runtime/http/paging.ts';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { presentWebhookDelivery } from './present.ts';
import { WebhookDelivery, WebhookDeliveryQuery } from './schema.ts';
import { listWebhookDeliveries } from './store.ts';

export const webhookDeliveryRoutes = [
  route({
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    operation: 'webhooks:list_webhook_deliveries',
    summary: 'List webhook deliveries',
    access: merchant('webhooks:read', 'webhooks:write'),
    query: WebhookDeliveryQuery,
    response: listOf(WebhookDelivery),
    handle: async ({ query, principal }, { db }) =>
      presentPage(
        await listWebhookDeliveries(db.manager, reachable(principal), query),
        query,
        presentWebhookDelivery,
      ),
  }),
];

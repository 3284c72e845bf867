import { merchant } from '@tributary/proto/access.ts';
import { notFound, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { redeliverWebhookEvent } from './redeliver-webhook-event.flow.ts';
import { getWebhookEvent } from './store.ts';

export const webhookEventRoutes = [
  route({
    method: 'POST',
    path: '/v1/webhooks/events/{id}/redeliver',
    operation: 'webhooks:redeliver_webhook_event',
    summary: 'Send a webhook event again',
    access: merchant('webhooks:write'),
    status: 202,
    params: z.object({ id: Id }),
    response: z.unknown(),
    problems: [ResourceNotFound],
    handle: (call) =>
      call.transaction(async (tx) => {
        const event = await getWebhookEvent(tx, reachable(call.principal), call.params.id);
        requireAdministrator(call.principal, event.organization_id);
        if (!(await redeliverWebhookEvent(tx, event, call.now))) throw notFound('Webhook event not found');
        return null;
      }),
  }),
];

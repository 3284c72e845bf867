import { merchant } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { listOf, presentPage } from '@tributary/runtime/http/paging.ts';
import { invalid, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { owningOrganization, requireAdministrator } from '@tributary/runtime/principal.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { reachable } from '../scope.ts';
import { deleteWebhookEndpoint, updateWebhookEndpoint } from './change-webhook-endpoint.flow.ts';
import { faultOfEndpointUrl } from './endpoint-url.ts';
import { presentWebhookEndpoint } from './present.ts';
import {
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointQuery,
  WebhookEndpointUpdate,
} from './schema.ts';
import {
  countWebhookEndpoints,
  getWebhookEndpoint,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  saveWebhookEndpoint,
} from './store.ts';
import {
  type WebhookEndpoint as Endpoint,
  MAX_ENDPOINTS,
  newWebhookEndpoint,
  WEBHOOK_SECRET_PREFIX,
} from './webhook-endpoint.ts';

const params = z.object({ id: Id });
const read = merchant('webhooks:read', 'webhooks:write');
const write = merchant('webhooks:write');

const newSecret = (app: App, endpointId: string) =>
  app.vault.seal(mintToken(WEBHOOK_SECRET_PREFIX), endpointId);

function requireSendableUrl(url: string | null | undefined, { outbound }: App): void {
  if (url == null) return;
  const fault = faultOfEndpointUrl(url, outbound.allowLoopback);
  if (fault) throw invalid(['body', 'url'], fault.msg, fault.type, url.slice(0, 200));
}

export const webhookEndpointRoutes = [
  route({
    method: 'GET',
    path: '/v1/webhooks/endpoints',
    operation: 'webhooks:list_webhook_endpoints',
    summary: 'List webhook endpoints',
    access: read,
    query: WebhookEndpointQuery,
    response: listOf(WebhookEndpoint),
    handle: async ({ query, principal }, { db, vault }) =>
      presentPage(
        await listWebhookEndpoints(db.manager, reachable(principal, query.organization_id), query),
        query,
        (endpoint: Endpoint) => presentWebhookEndpoint(endpoint, vault),
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/webhooks/endpoints',
    operation: 'webhooks:create_webhook_endpoint',
    summary: 'Create a webhook endpoint',
    access: write,
    status: 201,
    body: WebhookEndpointCreate,
    response: WebhookEndpoint,
    handle: async (call, app) => {
      const organization_id = owningOrganization(call.principal, call.body.organization_id);
      requireAdministrator(call.principal, organization_id);
      requireSendableUrl(call.body.url, app);
      if ((await countWebhookEndpoints(app.db.manager, organization_id)) >= MAX_ENDPOINTS)
        throw invalid(['body'], `An organization can have at most ${MAX_ENDPOINTS} webhook endpoints.`);
      const id = newId();
      const input = { ...call.body, name: call.body.name ?? null };
      const identity = { id, organization_id, sealed_secret: newSecret(app, id) };
      const endpoint = newWebhookEndpoint(input, identity, call.now);
      return call.transaction(async (tx) =>
        presentWebhookEndpoint(await insertWebhookEndpoint(tx, endpoint), app.vault),
      );
    },
  }),
  route({
    method: 'GET',
    path: '/v1/webhooks/endpoints/{id}',
    operation: 'webhooks:get_webhook_endpoint',
    summary: 'Read a webhook endpoint',
    access: read,
    params,
    response: WebhookEndpoint,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, { db, vault }) =>
      presentWebhookEndpoint(await getWebhookEndpoint(db.manager, reachable(principal), id), vault),
  }),
  route({
    method: 'PATCH',
    path: '/v1/webhooks/endpoints/{id}',
    operation: 'webhooks:update_webhook_endpoint',
    summary: 'Update a webhook endpoint',
    access: write,
    params,
    body: WebhookEndpointUpdate,
    response: WebhookEndpoint,
    problems: [ResourceNotFound],
    handle: (call, app) =>
      call.transaction(async (tx) => {
        const endpoint = await getWebhookEndpoint(tx, reachable(call.principal), call.params.id, 'write');
        requireAdministrator(call.principal, endpoint.organization_id);
        requireSendableUrl(call.body.url, app);
        return presentWebhookEndpoint(
          await updateWebhookEndpoint(tx, endpoint, call.body, call.now),
          app.vault,
        );
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/webhooks/endpoints/{id}',
    operation: 'webhooks:delete_webhook_endpoint',
    summary: 'Delete a webhook endpoint',
    access: write,
    status: 204,
    params,
    problems: [ResourceNotFound],
    handle: (call) =>
      call.transaction(async (tx) => {
        const endpoint = await getWebhookEndpoint(tx, reachable(call.principal), call.params.id, 'write');
        requireAdministrator(call.principal, endpoint.organization_id);
        await deleteWebhookEndpoint(tx, endpoint, call.now);
      }),
  }),
  route({
    method: 'PATCH',
    path: '/v1/webhooks/endpoints/{id}/secret',
    operation: 'webhooks:reset_webhook_endpoint_secret',
    summary: "Replace a webhook endpoint's secret",
    access: write,
    params,
    response: WebhookEndpoint,
    problems: [ResourceNotFound],
    handle: (call, app) =>
      call.transaction(async (tx) => {
        const endpoint = await getWebhookEndpoint(tx, reachable(call.principal), call.params.id, 'write');
        requireAdministrator(call.principal, endpoint.organization_id);
        const changed = { ...endpoint, sealed_secret: newSecret(app, endpoint.id), modified_at: call.now };
        return presentWebhookEndpoint(await saveWebhookEndpoint(tx, changed), app.vault);
      }),
  }),
];

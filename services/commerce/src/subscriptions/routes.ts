import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { BadRequest, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, MetadataQuery, many, QueryBoolean, TimestampInput } from '@tributary/runtime/http/wire.ts';
import { organizationsOf, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import {
  AlreadyCanceledSubscription,
  InactiveSubscription,
  PaymentFailed,
  ResourceUnavailable,
  SubscriptionLocked,
} from '../problems.ts';
import { reachable } from '../scope.ts';
import { changeSubscription, type Shown } from './change-subscription.flow.ts';
import { createFreeSubscription, readFreeProduct } from './create-subscription.flow.ts';
import { listSubscriptions, subscriptionSortKeys } from './list-store.ts';
import { presentSubscription } from './present.ts';
import {
  CustomerCancellationReason,
  SubscriptionCreate,
  SubscriptionShape,
  SubscriptionStatusShape,
  SubscriptionUpdate,
} from './schema.ts';
import { getSubscription } from './store.ts';
import type { SubscriptionChange } from './update.ts';
import { loadLiveParts } from './view-subscriptions.flow.ts';

const params = z.object({ id: Id });
const present = ({ subscription, parts }: Shown) => presentSubscription(subscription, parts);

export const subscriptionRoutes = [
  route({
    method: 'GET',
    path: '/v1/subscriptions/',
    operation: 'subscriptions:list',
    summary: 'List subscriptions',
    access: merchant('subscriptions:read', 'subscriptions:write'),
    query: z.object({
      organization_id: many(Id),
      product_id: many(Id),
      customer_id: many(Id),
      external_customer_id: many(z.string().max(255)),
      discount_id: many(Id),
      active: QueryBoolean.optional().meta({ deprecated: true }),
      status: many(SubscriptionStatusShape),
      cancel_at_period_end: QueryBoolean.optional(),
      customer_cancellation_reason: many(CustomerCancellationReason),
      canceled_at_after: TimestampInput.optional(),
      canceled_at_before: TimestampInput.optional(),
      started_after: TimestampInput.optional(),
      started_before: TimestampInput.optional(),
      ...pagingShape,
      sorting: sortedBy('SubscriptionSortProperty', subscriptionSortKeys, ['-started_at']),
      metadata: MetadataQuery,
    }),
    response: listOf(SubscriptionShape),
    handle: async ({ query, principal }, app) => {
      const page = await listSubscriptions(
        app.db.manager,
        reachable(principal, query.organization_id),
        query,
      );
      const parts = await loadLiveParts(app, page.items);
      return presentPage(page, query, (subscription) =>
        presentSubscription(subscription, parts.get(subscription.id)!),
      );
    },
  }),
  route({
    method: 'POST',
    path: '/v1/subscriptions/',
    operation: 'subscriptions:create',
    summary: 'Subscribe a customer to a free product',
    access: merchant('subscriptions:write'),
    status: 201,
    body: SubscriptionCreate,
    response: SubscriptionShape,
    handle: async ({ principal, body, now, transaction }, app) => {
      const offer = await readFreeProduct(app, organizationsOf(principal), body.product_id);
      requireAdministrator(principal, offer.organization.id);
      const customer =
        'customer_id' in body ? { id: body.customer_id } : { external_id: body.external_customer_id };
      const wanted = { product_id: body.product_id, customer, metadata: body.metadata ?? {} };
      return transaction((tx) => createFreeSubscription(tx, offer, wanted, now));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/subscriptions/{id}',
    operation: 'subscriptions:get',
    summary: 'Read a subscription',
    access: merchant('subscriptions:read', 'subscriptions:write'),
    params,
    response: SubscriptionShape,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, app) => {
      const organizationIds = organizationsOf(principal);
      const subscription = await getSubscription(app.db.manager, { organizationIds }, id);
      const parts = await loadLiveParts(app, [subscription]);
      return presentSubscription(subscription, parts.get(id)!);
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/subscriptions/{id}',
    operation: 'subscriptions:update',
    summary: 'Change a subscription: one kind of change at a time',
    access: merchant('subscriptions:write'),
    params,
    body: SubscriptionUpdate,
    response: SubscriptionShape,
    problems: [
      BadRequest,
      PaymentFailed,
      AlreadyCanceledSubscription,
      InactiveSubscription,
      ResourceNotFound,
      SubscriptionLocked,
      ResourceUnavailable,
    ],
    handle: (call, app) =>
      changeSubscription(app, call, {
        scope: { organizationIds: organizationsOf(call.principal) },
        id: call.params.id,
        change: changeOf(call.body),
        guard: ({ organization_id }) => requireAdministrator(call.principal, organization_id),
        present,
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/subscriptions/{id}',
    operation: 'subscriptions:revoke',
    summary: 'End a subscription at once',
    access: merchant('subscriptions:write'),
    params,
    response: SubscriptionShape,
    problems: [AlreadyCanceledSubscription, ResourceNotFound, SubscriptionLocked],
    handle: (call, app) =>
      changeSubscription(app, call, {
        scope: { organizationIds: organizationsOf(call.principal) },
        id: call.params.id,
        change: { kind: 'revoke', farewell: {} },
        guard: ({ organization_id }) => requireAdministrator(call.principal, organization_id),
        present,
      }),
  }),
];

function changeOf(body: SubscriptionUpdate): SubscriptionChange {
  if ('cancel_at_period_end' in body) {
    return body.cancel_at_period_end ? { kind: 'cancel', farewell: farewellOf(body) } : { kind: 'uncancel' };
  }
  if ('revoke' in body) return { kind: 'revoke', farewell: farewellOf(body) };
  return { kind: 'metadata', metadata: body.metadata };
}

const farewellOf = (
  body: Pick<Extract<SubscriptionUpdate, { revoke: true }>, `customer_cancellation_${'reason' | 'comment'}`>,
) => ({
  reason: body.customer_cancellation_reason,
  comment: body.customer_cancellation_comment,
});

import { portal } from '@tributary/proto/access.ts';
import { listOf, pagingShape, sortedBy } from '@tributary/runtime/http/paging.ts';
import { BadRequest, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, many, QueryBoolean, SearchText } from '@tributary/runtime/http/wire.ts';
import { portalPrincipal, requireBillingRole } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import {
  AlreadyCanceledSubscription,
  PauseResumeNotAllowed,
  PaymentFailed,
  PaymentMethodRequired,
  ResourceUnavailable,
} from '../problems.ts';
import { changeSubscription, type Shown } from './change-subscription.flow.ts';
import { listPortalSubscriptions, portalSubscriptionSortKeys } from './list-store.ts';
import { presentPortalSubscription } from './present.ts';
import { requirePaymentMethod } from './require-payment-method.flow.ts';
import { CustomerSubscription, CustomerSubscriptionUpdate } from './schema.ts';
import { showPortalPage } from './show-portal-page.flow.ts';
import { getSubscription } from './store.ts';
import type { SubscriptionChange } from './update.ts';
import { loadLiveParts } from './view-subscriptions.flow.ts';

const params = z.object({ id: Id });
const present = ({ subscription, parts }: Shown) =>
  presentPortalSubscription(subscription, parts, parts.organization);

export const subscriptionPortalRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/subscriptions/',
    operation: 'customer_portal:subscriptions:list',
    summary: "List the customer's subscriptions",
    access: portal('customer_portal:read', 'customer_portal:write'),
    query: z.object({
      product_id: many(Id),
      active: QueryBoolean.optional(),
      query: SearchText,
      ...pagingShape,
      sorting: sortedBy('CustomerSubscriptionSortProperty', portalSubscriptionSortKeys, ['-started_at']),
    }),
    response: listOf(CustomerSubscription),
    handle: async ({ principal, query }, app) => {
      const { customer_id } = portalPrincipal(principal);
      return showPortalPage(app, await listPortalSubscriptions(app.db.manager, customer_id, query), query);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customer-portal/subscriptions/{id}',
    operation: 'customer_portal:subscriptions:get',
    summary: "Read one of the customer's subscriptions",
    access: portal('customer_portal:read', 'customer_portal:write'),
    params,
    response: CustomerSubscription,
    problems: [ResourceNotFound],
    handle: async ({ principal, params: { id } }, app) => {
      const { customer_id: customerId } = portalPrincipal(principal);
      const subscription = await getSubscription(app.db.manager, { customerId }, id);
      const parts = await loadLiveParts(app, [subscription]);
      return present({ subscription, parts: parts.get(id)! });
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/customer-portal/subscriptions/{id}',
    operation: 'customer_portal:subscriptions:update',
    summary: "Cancel one of the customer's subscriptions at the end of its period, or take that back",
    access: portal('customer_portal:write'),
    params,
    body: CustomerSubscriptionUpdate,
    response: CustomerSubscription,
    problems: [
      BadRequest,
      PaymentFailed,
      AlreadyCanceledSubscription,
      PauseResumeNotAllowed,
      ResourceNotFound,
      PaymentMethodRequired,
      ResourceUnavailable,
    ],
    handle: async (call, app) => {
      const { customer_id: customerId } = requireBillingRole(call.principal);
      const change = changeOf(call.body);
      const guard = change.kind === 'uncancel' ? requirePaymentMethod : undefined;
      return changeSubscription(app, call, {
        scope: { customerId },
        id: call.params.id,
        change,
        guard,
        present,
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/customer-portal/subscriptions/{id}',
    operation: 'customer_portal:subscriptions:cancel',
    summary: "Cancel one of the customer's subscriptions at the end of its period",
    access: portal('customer_portal:write'),
    params,
    response: CustomerSubscription,
    problems: [AlreadyCanceledSubscription, ResourceNotFound],
    handle: async (call, app) => {
      const { customer_id: customerId } = requireBillingRole(call.principal);
      const change = { kind: 'cancel', farewell: {} } as const;
      return changeSubscription(app, call, { scope: { customerId }, id: call.params.id, change, present });
    },
  }),
];

type Update = z.output<typeof CustomerSubscriptionUpdate>;

/** A body that says nothing of `cancel_at_period_end` asks for nothing. */
function changeOf({
  cancel_at_period_end,
  cancellation_reason,
  cancellation_comment,
}: Update): SubscriptionChange {
  if (cancel_at_period_end === false) return { kind: 'uncancel' };
  if (cancel_at_period_end !== true) return { kind: 'metadata', metadata: undefined };
  return { kind: 'cancel', farewell: { reason: cancellation_reason, comment: cancellation_comment } };
}

import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, MetadataQuery, many, TimestampInput } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { orderViews } from './load-orders.flow.ts';
import { presentOrder } from './present.ts';
import { OrderShape, OrderStatusShape, ProductBillingType } from './schema.ts';
import { getOrder, listOrders, orderSortKeys } from './store.ts';

export const orderRoutes = [
  route({
    method: 'GET',
    path: '/v1/orders/',
    operation: 'orders:list',
    summary: 'List orders',
    access: merchant('orders:read'),
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('OrderSortProperty', orderSortKeys, ['-created_at']),
      organization_id: many(Id),
      product_id: many(Id),
      product_billing_type: many(ProductBillingType),
      discount_id: many(Id),
      customer_id: many(Id),
      external_customer_id: many(z.string().max(255)),
      checkout_id: many(Id),
      subscription_id: many(Id),
      status: many(OrderStatusShape),
      created_after: TimestampInput.optional(),
      created_before: TimestampInput.optional(),
      metadata: MetadataQuery,
    }),
    response: listOf(OrderShape),
    handle: async ({ query, principal }, app) => {
      const organizationIds = reachable(principal, query.organization_id);
      const page = await listOrders(app.db.manager, { organizationIds }, query);
      const views = await orderViews(app, page.items);
      return presentPage(page, query, (order) => presentOrder(views.get(order.id)!));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/orders/{id}',
    operation: 'orders:get',
    summary: 'Read an order',
    access: merchant('orders:read'),
    params: z.object({ id: Id }),
    response: OrderShape,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, app) => {
      const order = await getOrder(app.db.manager, { organizationIds: reachable(principal) }, id);
      const views = await orderViews(app, [order]);
      return presentOrder(views.get(id)!);
    },
  }),
];

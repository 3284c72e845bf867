import { portal } from '@tributary/proto/access.ts';
import type { PrincipalOf } from '@tributary/proto/principal.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { notFound, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, many, SearchText } from '@tributary/runtime/http/wire.ts';
import { requireBillingRole } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import { orderViews } from './load-orders.flow.ts';
import type { Order } from './order.ts';
import { presentPortalOrder } from './present.ts';
import { CustomerOrder, ProductBillingType } from './schema.ts';
import { getOrder, listOrders, type OrderScope } from './store.ts';

type Caller = PrincipalOf<'customer'> | PrincipalOf<'member'>;

const scopeOf = ({ organization_id, customer_id }: Caller): OrderScope => ({
  organizationIds: [organization_id],
  customerId: customer_id,
});

async function presenter(app: App, found: readonly Order[], organizationId: string) {
  const [views, organizations] = await Promise.all([
    orderViews(app, found),
    app.replicas.organizations.get(app.db.manager, [organizationId]),
  ]);
  const organization: OrganizationCopy | undefined = organizations.get(organizationId);
  if (!organization) throw notFound('Organization not found');
  return (order: Order) => presentPortalOrder(views.get(order.id)!, organization);
}

const sortKeys = ['created_at', 'amount', 'net_amount', 'product', 'subscription'] as const;

export const orderPortalRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/orders/',
    operation: 'customer_portal:orders:list',
    summary: 'List your orders',
    access: portal('customer_portal:read', 'customer_portal:write'),
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('CustomerOrderSortProperty', sortKeys, ['-created_at']),
      product_id: many(Id),
      product_billing_type: many(ProductBillingType),
      subscription_id: many(Id),
      query: SearchText,
    }),
    response: listOf(CustomerOrder),
    handle: async ({ query, principal }, app) => {
      const caller = requireBillingRole(principal);
      const page = await listOrders(app.db.manager, scopeOf(caller), query);
      return presentPage(page, query, await presenter(app, page.items, caller.organization_id));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customer-portal/orders/{id}',
    operation: 'customer_portal:orders:get',
    summary: 'Read one of your orders',
    access: portal('customer_portal:read', 'customer_portal:write'),
    params: z.object({ id: Id }),
    response: CustomerOrder,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, app) => {
      const caller = requireBillingRole(principal);
      const order = await getOrder(app.db.manager, scopeOf(caller), id);
      const present = await presenter(app, [order], caller.organization_id);
      return present(order);
    },
  }),
];

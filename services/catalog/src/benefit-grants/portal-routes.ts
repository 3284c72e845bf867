import { portal } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { invalid, NotPermitted, notFound, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, many, SearchText } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { BenefitTypeShape } from '../benefits/schema.ts';
import type { OrganizationCopy } from '../replicas.ts';
import { portalHolder } from '../scope.ts';
import { loadGrants } from './load-grants.flow.ts';
import { presentCustomerGrant } from './portal-present.ts';
import { CustomerBenefitGrant, CustomerBenefitGrantUpdate } from './portal-schema.ts';
import { getPortalGrant, listPortalGrants, portalGrantSortKeys } from './portal-store.ts';

const params = z.object({ id: Id });
const readers = portal('customer_portal:read', 'customer_portal:write');

async function organizationOf({ db, replicas }: App, id: string): Promise<OrganizationCopy> {
  const organization = (await replicas.organizations.get(db, [id])).get(id);
  if (!organization) throw notFound('Organization not found');
  return organization;
}

export const portalBenefitGrantRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/benefit-grants/',
    operation: 'customer_portal:benefit-grants:list',
    summary: 'List the benefits the authenticated customer has',
    access: readers,
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('CustomerBenefitGrantSortProperty', portalGrantSortKeys, [
        'product_benefit',
        '-granted_at',
      ]),
      query: SearchText,
      type: many(BenefitTypeShape),
      benefit_id: many(Id),
      checkout_id: many(Id),
      order_id: many(Id),
      subscription_id: many(Id),
      member_id: many(Id),
    }),
    response: listOf(CustomerBenefitGrant),
    handle: async ({ query, principal }, app) => {
      const holder = portalHolder(principal);
      const organization = await organizationOf(app, holder.organizationId);
      const { items, total } = await listPortalGrants(app.db.manager, holder, query);
      const views = await loadGrants(app.db.manager, items);
      return presentPage({ items: views, total }, query, (view) => presentCustomerGrant(view, organization));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customer-portal/benefit-grants/{id}',
    operation: 'customer_portal:benefit-grants:get',
    summary: 'Read a benefit the authenticated customer has',
    access: readers,
    params,
    response: CustomerBenefitGrant,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, app) => {
      const holder = portalHolder(principal);
      const grant = await getPortalGrant(app.db.manager, holder, id);
      const [view] = await loadGrants(app.db.manager, [grant]);
      return presentCustomerGrant(view!, await organizationOf(app, holder.organizationId));
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/customer-portal/benefit-grants/{id}',
    operation: 'customer_portal:benefit-grants:update',
    summary: 'Change what a benefit needs from the customer',
    access: portal('customer_portal:write'),
    params,
    body: CustomerBenefitGrantUpdate,
    response: CustomerBenefitGrant,
    problems: [NotPermitted, ResourceNotFound],
    handle: async ({ params: { id }, principal, body }, app) => {
      const holder = portalHolder(principal);
      const grant = await getPortalGrant(app.db.manager, holder, id);
      const [view] = await loadGrants(app.db.manager, [grant]);
      if (view!.benefit.type !== body.benefit_type) {
        throw invalid(
          ['body', 'benefit_type'],
          `This is a ${view!.benefit.type} benefit.`,
          'value_error',
          body.benefit_type,
        );
      }
      return presentCustomerGrant(view!, await organizationOf(app, holder.organizationId));
    },
  }),
];

import { portal } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { Id, many, SearchText } from '@tributary/runtime/http/wire.ts';
import { portalPrincipal } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { presentInPortal } from './present.ts';
import { CustomerMeterInPortal } from './schema.ts';
import { type CustomerMeterSortKey, listCustomerMeters, readCustomerMeter } from './store.ts';

const reading = portal('customer_portal:read', 'customer_portal:write');

const sortKeys = [
  'created_at',
  'modified_at',
  'meter_id',
  'meter_name',
  'consumed_units',
  'credited_units',
  'balance',
] as const satisfies readonly CustomerMeterSortKey[];

export const customerMeterPortalRoutes: Route<App>[] = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/meters/',
    operation: 'customer_portal:customer_meters:list',
    summary: "List the customer's meters",
    access: reading,
    query: z.object({
      meter_id: many(Id),
      query: SearchText,
      ...pagingShape,
      sorting: sortedBy('CustomerCustomerMeterSortProperty', sortKeys, ['-modified_at']),
    }),
    response: listOf(CustomerMeterInPortal),
    async handle({ query, principal }, { db, replicas }) {
      const { organization_id, customer_id } = portalPrincipal(principal);
      const filters = {
        organizations: [organization_id],
        customer_id: [customer_id],
        meter_id: query.meter_id,
        query: query.query,
      };
      const page = await listCustomerMeters(db, replicas.customers, filters, query, query.sorting);
      return presentPage(page, query, presentInPortal);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customer-portal/meters/{id}',
    operation: 'customer_portal:customer_meters:get',
    summary: "Read one of the customer's meters",
    access: reading,
    params: z.object({ id: Id }),
    response: CustomerMeterInPortal,
    problems: [ResourceNotFound],
    async handle({ params, principal }, { db, replicas }) {
      const { organization_id, customer_id } = portalPrincipal(principal);
      return presentInPortal(
        await readCustomerMeter(db.manager, replicas.customers, [organization_id], params.id, customer_id),
      );
    },
  }),
];

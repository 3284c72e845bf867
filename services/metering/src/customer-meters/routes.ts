import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { Id, many } from '@tributary/runtime/http/wire.ts';
import { organizationsOf } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { reachable } from '../scope.ts';
import { presentCustomerMeter } from './present.ts';
import { CustomerMeter } from './schema.ts';
import { customerMeterSortKeys, listCustomerMeters, readCustomerMeter } from './store.ts';

const reading = merchant('customer_meters:read');

export const customerMeterRoutes: Route<App>[] = [
  route({
    method: 'GET',
    path: '/v1/customer-meters/',
    operation: 'customer_meters:list',
    summary: 'List customer meters',
    access: reading,
    query: z.object({
      organization_id: many(Id),
      customer_id: many(Id),
      external_customer_id: many(z.string()),
      meter_id: many(Id),
      ...pagingShape,
      sorting: sortedBy('CustomerMeterSortProperty', customerMeterSortKeys, ['-modified_at']),
    }),
    response: listOf(CustomerMeter),
    async handle({ query, principal }, { db, replicas }) {
      const { customer_id, external_customer_id, meter_id, sorting } = query;
      const organizations = reachable(principal, query.organization_id);
      const filters = { organizations, customer_id, external_customer_id, meter_id };
      const page = await listCustomerMeters(db, replicas.customers, filters, query, sorting);
      return presentPage(page, query, presentCustomerMeter);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customer-meters/{id}',
    operation: 'customer_meters:get',
    summary: 'Read a customer meter',
    access: reading,
    params: z.object({ id: Id }),
    response: CustomerMeter,
    problems: [ResourceNotFound],
    handle: async ({ params, principal }, { db, replicas }) =>
      presentCustomerMeter(
        await readCustomerMeter(db.manager, replicas.customers, organizationsOf(principal), params.id),
      ),
  }),
];

import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { invalid, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, MetadataQuery, many, QueryBoolean, SearchText } from '@tributary/runtime/http/wire.ts';
import { owningOrganization, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { AmbiguousExternalCustomerID } from '../problems.ts';
import { reachable } from '../scope.ts';
import { createCustomer } from './create-customer.flow.ts';
import { newCustomer } from './customer.ts';
import { deleteCustomerRecord } from './delete-customer.flow.ts';
import { presentCustomer } from './present.ts';
import { CustomerCreate, CustomerShape, CustomerUpdate, CustomerUpdateExternalID } from './schema.ts';
import { customerSortKeys, getCustomer, listCustomers } from './store.ts';
import { updateCustomer } from './update-customer.flow.ts';

const byId = z.object({ id: Id });
const byExternalId = z.object({ external_id: z.string() });
const Anonymize = z.object({ anonymize: QueryBoolean.optional().meta({ query: 'boolean', default: false }) });

export const customerRoutes = [
  route({
    method: 'GET',
    path: '/v1/customers/',
    operation: 'customers:list',
    summary: 'List customers',
    access: merchant('customers:read', 'customers:write'),
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('CustomerSortProperty', customerSortKeys, ['-created_at']),
      organization_id: many(Id),
      email: z.string().max(254).optional(),
      query: SearchText,
      active: QueryBoolean.optional(),
      metadata: MetadataQuery,
    }),
    response: listOf(CustomerShape),
    handle: async ({ query, principal }, { db }) =>
      presentPage(
        await listCustomers(db.manager, reachable(principal, query.organization_id), query),
        query,
        presentCustomer,
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/customers/',
    operation: 'customers:create',
    summary: 'Create a customer',
    access: merchant('customers:write'),
    status: 201,
    body: CustomerCreate,
    response: CustomerShape,
    handle: async (call, app) => {
      const { body, now } = call;
      const organizationId = owningOrganization(call.principal, body.organization_id);
      requireAdministrator(call.principal, organizationId);
      requireOwner(body);
      const organizations = await app.replicas.organizations.get(app.db.manager, [organizationId]);
      return call.transaction(async (tx) => {
        const customer = newCustomer(organizationId, body, now);
        const surroundings = { organization: organizations.get(organizationId), owner: body.owner };
        await createCustomer(tx, customer, surroundings, now);
        return presentCustomer(customer);
      });
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customers/{id}',
    operation: 'customers:get',
    summary: 'Read a customer',
    access: merchant('customers:read', 'customers:write'),
    params: byId,
    response: CustomerShape,
    problems: [ResourceNotFound],
    handle: async ({ params, principal }, { db }) =>
      presentCustomer(await getCustomer(db.manager, reachable(principal), params)),
  }),
  route({
    method: 'GET',
    path: '/v1/customers/external/{external_id}',
    operation: 'customers:get_external',
    summary: 'Read a customer by external id',
    access: merchant('customers:read', 'customers:write'),
    params: byExternalId,
    response: CustomerShape,
    problems: [ResourceNotFound, AmbiguousExternalCustomerID],
    handle: async ({ params, principal }, { db }) =>
      presentCustomer(await getCustomer(db.manager, reachable(principal), params)),
  }),
  route({
    method: 'PATCH',
    path: '/v1/customers/{id}',
    operation: 'customers:update',
    summary: 'Change a customer',
    access: merchant('customers:write'),
    params: byId,
    body: CustomerUpdate,
    response: CustomerShape,
    problems: [ResourceNotFound],
    handle: (call) =>
      call.transaction(async (tx) => {
        const customer = await getCustomer(tx, reachable(call.principal), call.params, true);
        requireAdministrator(call.principal, customer.organization_id);
        const change = { ...call.body, type: call.body.type ?? undefined };
        return presentCustomer(await updateCustomer(tx, customer, change, call.now));
      }),
  }),
  route({
    method: 'PATCH',
    path: '/v1/customers/external/{external_id}',
    operation: 'customers:update_external',
    summary: 'Change a customer by external id',
    access: merchant('customers:write'),
    params: byExternalId,
    body: CustomerUpdateExternalID,
    response: CustomerShape,
    problems: [ResourceNotFound, AmbiguousExternalCustomerID],
    handle: (call) =>
      call.transaction(async (tx) => {
        const customer = await getCustomer(tx, reachable(call.principal), call.params, true);
        requireAdministrator(call.principal, customer.organization_id);
        return presentCustomer(await updateCustomer(tx, customer, call.body, call.now));
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/customers/{id}',
    operation: 'customers:delete',
    summary: 'Delete a customer',
    access: merchant('customers:write'),
    status: 204,
    params: byId,
    query: Anonymize,
    problems: [ResourceNotFound],
    handle: (call, app) => deleteCustomerRecord(call, app, call.params),
  }),
  route({
    method: 'DELETE',
    path: '/v1/customers/external/{external_id}',
    operation: 'customers:delete_external',
    summary: 'Delete a customer by external id',
    access: merchant('customers:write'),
    status: 204,
    params: byExternalId,
    query: Anonymize,
    problems: [ResourceNotFound, AmbiguousExternalCustomerID],
    handle: (call, app) => deleteCustomerRecord(call, app, call.params),
  }),
];

/** A team that cannot be written to needs somebody who can. */
function requireOwner(body: z.output<typeof CustomerCreate>): void {
  if (body.type === 'team' && body.email == null && body.owner == null) {
    throw invalid(['body', 'owner'], 'A team customer without an email address needs an owner.', 'missing');
  }
}

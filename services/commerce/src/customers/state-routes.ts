import { merchant } from '@tributary/proto/access.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { AmbiguousExternalCustomerID } from '../problems.ts';
import { reachable } from '../scope.ts';
import { presentState } from './present-state.ts';
import { readState } from './read-state.flow.ts';
import { CustomerState } from './state-schema.ts';
import { getCustomer } from './store.ts';

export const customerStateRoutes = [
  route({
    method: 'GET',
    path: '/v1/customers/{id}/state',
    operation: 'customers:get_state',
    summary: 'Read what a customer has now',
    access: merchant('customers:read', 'customers:write'),
    params: z.object({ id: Id }),
    response: CustomerState,
    problems: [ResourceNotFound],
    handle: async ({ params, principal }, app) =>
      presentState(await readState(app, await getCustomer(app.db.manager, reachable(principal), params))),
  }),
  route({
    method: 'GET',
    path: '/v1/customers/external/{external_id}/state',
    operation: 'customers:get_state_external',
    summary: 'Read what a customer has now by external id',
    access: merchant('customers:read', 'customers:write'),
    params: z.object({ external_id: z.string() }),
    response: CustomerState,
    problems: [ResourceNotFound, AmbiguousExternalCustomerID],
    handle: async ({ params, principal }, app) =>
      presentState(await readState(app, await getCustomer(app.db.manager, reachable(principal), params))),
  }),
];

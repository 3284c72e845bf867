import { merchant } from '@tributary/proto/access.ts';
import { listOf, type Paging, pagingShape, presentPage } from '@tributary/runtime/http/paging.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Call } from '@tributary/runtime/http/route.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { type CustomerReference, getCustomer } from '../customers/store.ts';
import { reachable } from '../scope.ts';
import { presentPaymentMethod } from './present.ts';
import { PaymentMethodShape } from './schema.ts';
import { listPaymentMethods } from './store.ts';

async function list(
  { principal, query }: Call<unknown, Paging, unknown>,
  { db }: App,
  reference: CustomerReference,
) {
  const customer = await getCustomer(db.manager, reachable(principal), reference);
  const page = await listPaymentMethods(db.manager, customer.id, query);
  return presentPage(page, query, (method) =>
    presentPaymentMethod(method, customer.default_payment_method_id),
  );
}

export const customerPaymentMethodRoutes = [
  route({
    method: 'GET',
    path: '/v1/customers/{id}/payment-methods',
    operation: 'customers:list_payment_methods',
    summary: 'List the payment methods of a customer',
    access: merchant('customers:read', 'customers:write'),
    params: z.object({ id: Id }),
    query: z.object(pagingShape),
    response: listOf(PaymentMethodShape),
    problems: [ResourceNotFound],
    handle: (call, app) => list(call, app, call.params),
  }),
  route({
    method: 'GET',
    path: '/v1/customers/external/{external_id}/payment-methods',
    operation: 'customers:list_payment_methods_external',
    summary: 'List the payment methods of a customer by external id',
    access: merchant('customers:read', 'customers:write'),
    params: z.object({ external_id: z.string() }),
    query: z.object(pagingShape),
    response: listOf(PaymentMethodShape),
    problems: [ResourceNotFound],
    handle: (call, app) => list(call, app, call.params),
  }),
];
